/// Finds params or headers whose value is another one in each request to a place, so that a cache finds nothing and no call joins another.
final class ChangingFields: Sendable {
    /// The number of values in a row, all of them different, after which a field counts as changing.
    static let leastValues = 5
    private static let mostPlaces = 100
    /// The hashes of the values of each field, by place. A value that comes again begins anew, as the languages of several users do.
    private let values = Mutex<[String: [String: Set<Int>]]>([:])

    /// Takes note of the fields of a request for which there was no response. Returns the names of those that change with each request.
    func note(_ fields: [(name: String, value: String)], of place: String) -> [String] {
        values.withLock { values in
            if values.count >= Self.mostPlaces, values[place] == nil { values = [:] }
            return fields.filter { field in
                let isNew = values[place, default: [:]][field.name, default: []].insert(field.value.hashValue).inserted
                if !isNew { values[place]?[field.name] = [field.value.hashValue] }
                return values[place]?[field.name]?.count == Self.leastValues
            }.map(\.name)
        }
    }
}
