// Sorting of few elements, or seldom. The compiler would otherwise copy the sort of the standard library for each type of elements, 4 KB each.
// These functions are not specialized, so that they call the one in the library. A comparison takes a few times as long.

extension Sequence {
    /// Returns the elements in order; those that are equal keep theirs.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func ordered(by precedes: (Element, Element) -> Bool) -> [Element] { sorted(by: precedes) }
}

extension Dictionary where Key: Comparable {
    /// Returns the values in the order of their keys.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func valuesInOrder() -> [Value] { sorted { $0.key < $1.key }.map(\.value) }
}
