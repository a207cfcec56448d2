extension JSON {
    /// The value with other scalars in some places, or nil if none is to be another. Order and exact numbers stay.
    ///
    /// - Parameter replacement: What takes the place of a scalar, by the keys and places of elements on the way to it; nil for itself.
    package func replacingScalars(_ replacement: (_ path: [String], _ scalar: JSON) -> JSON?) -> JSON? {
        var path: [String] = []
        return replaced(&path, replacement)
    }

    /// It goes no deeper than what a parser accepts.
    private func replaced(_ path: inout [String], _ replacement: ([String], JSON) -> JSON?) -> JSON? {
        switch storage {
        case .array(let elements):
            var changed: [JSON]?
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                if let other = element.replaced(&path, replacement) { changed = changed ?? elements; changed?[index] = other }
                path.removeLast()
            }
            return changed.map { JSON(array: $0) }
        case .object(let object):
            var changed: [JSONObject.Member]?
            for (index, member) in object.members.enumerated() {
                path.append(member.key)
                if let other = member.value.replaced(&path, replacement) {
                    changed = changed ?? object.members
                    changed?[index] = JSONObject.Member(key: member.key, value: other)
                }
                path.removeLast()
            }
            return changed.map { JSON(members: $0) }
        default: return replacement(path, self)
        }
    }

    /// An object without some of its members; any other value is itself.
    package func without(_ keys: Set<String>) -> JSON {
        guard case .object(let object) = storage else { return self }
        return JSON(members: object.members.filter { !keys.contains($0.key) })
    }
}
