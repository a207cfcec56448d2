extension Params {
    /// The params that a query says, as text; of a name that comes several times an array.
    ///
    /// - Parameter isIncluded: Which names count.
    init(query pairs: [Substring], where isIncluded: (String) -> Bool = { _ in true }) {
        self.init()
        for pair in pairs {
            let name = PercentDecoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
            guard isIncluded(name) else { continue }
            let value = PercentDecoding.decode(pair.drop { $0 != "=" }.dropFirst(), plusIsSpace: true)
            switch self[name]?.parameterNode {
            case nil: self[name] = value
            case .array(let values): self[name] = ParameterNode.array(values + [.string(value)])
            case let first?: self[name] = ParameterNode.array([first, .string(value)])
            }
        }
    }
}
