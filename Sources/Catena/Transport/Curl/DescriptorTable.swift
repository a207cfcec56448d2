#if os(Linux) && canImport(Glibc)
/// Stores values by descriptor. An array has few gaps and needs no hashing, because the system assigns the smallest free number. Pure.
struct DescriptorTable<Value> {
    private var values: [Value?] = []

    subscript(descriptor: Int32) -> Value? {
        get {
            let index = Int(descriptor)
            return values.indices.contains(index) ? values[index] : nil
        }
        _modify {
            let index = Int(descriptor)
            if index < 0 {
                // A negative descriptor does not exist, so the value is discarded.
                var nowhere: Value?
                yield &nowhere
                return
            }
            if index >= values.count { values.append(contentsOf: repeatElement(nil, count: index + 1 - values.count)) }
            yield &values[index]
        }
    }
}
#endif
