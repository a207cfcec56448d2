#if os(Linux) && canImport(Glibc)
/// Values by descriptor. The system gives the smallest number that is free, so that an array has few gaps and needs no hashing. Pure.
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
                // There is no such descriptor.
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
