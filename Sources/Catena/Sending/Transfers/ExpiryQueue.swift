/// An element that stores its own index in an ``ExpiryQueue``, so that it can be removed without a search.
protocol Expiring: AnyObject {
    /// The index in the queue, or -1 if the element is not in it.
    var expiryIndex: Int { get set }
}

/// A queue of elements with an expiry, the earliest first. Pure.
struct ExpiryQueue<Element: Expiring> {
    private struct Entry: HeapEntry {
        let key: Int64
        let element: Element

        func moved(to index: Int) { element.expiryIndex = index }
    }

    private var heap = BinaryHeap<Entry>()

    var first: (expiry: Int64, element: Element)? { heap.first.map { ($0.key, $0.element) } }

    /// - Parameter expiry: The time of expiry, in any unit and from any origin.
    mutating func add(_ element: Element, expiry: Int64) {
        heap.add(Entry(key: expiry, element: element))
    }

    /// Removes an element, if the queue has it.
    mutating func remove(_ element: Element) {
        let index = element.expiryIndex
        guard index >= 0 else { return }
        element.expiryIndex = -1
        heap.remove(at: index)
    }
}
