/// A rule is kept as it stands in a file, with its name under `Name`.
extension Rule: Codable {
    public init(from decoder: any Decoder) throws {
        let value = try JSON(from: decoder)
        let name = value[RuleKey.name.rawValue].string
        var reader = RuleReader(nil)
        self = reader.rule(name ?? "", at: name ?? "", value)
        if name == nil { reader.fault(RuleKey.name.rawValue, "a rule that stands by itself needs its name") }
        guard reader.faults.isEmpty else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: RuleFaults(reader.faults).description))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }

    private var json: JSON {
        let headers = headers.map { headers in Params(headers.fields.map { Params.Member(key: $0.name, node: .string($0.value)) }) }
        let values: [(RuleKey, (any ParameterValue)?)] = [
            (.name, name), (.base, base), (.pathPrefix, pathPrefix), (.path, path), (.method, method?.name), (.headers, headers),
            (.parameters, params), (.authorization, isAuthorized), (.serializer, serializer), (.cachePolicy, cachePolicy?.rawValue),
            (.expire, expire.map { $0 / .seconds(1) }), (.offlinePolicy, offlinePolicy?.rawValue),
            (.responseSerializer, responseSerializer), (.responseType, responseType?.rawValue), (.responseAcceptNull, acceptsNull),
            (.responseClass, responseClass), (.userInfo, userInfo), (.notes, notes),
        ]
        var members = Params()
        for (key, value) in values { members[key.rawValue] = value }
        return JSON(members)
    }
}
