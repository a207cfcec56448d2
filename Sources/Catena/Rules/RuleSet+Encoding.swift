/// Writes rules as files have them, so that rules made in code can be kept, and read again.
///
/// ```swift
/// try JSONEncoder().encode(RuleSet([votes, topic])).write(to: file)
/// try API.rules.load(file: file)
/// ```
extension RuleSet: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var members = Params()
        if let defaults = JSON(standard.members).object, !defaults.isEmpty { members[Self.defaultName] = JSON(standard.members) }
        for name in names { members[name] = rules[name].map { JSON($0.members) } }
        try JSON(members).encode(to: encoder)
    }
}

extension Rule {
    /// What the rule sets, under the keys of files.
    fileprivate var members: Params {
        var members = Params()
        func set(_ key: RuleKey, _ value: (any ParameterValue)?) { members[key.rawValue] = value }
        set(.base, base)
        set(.pathPrefix, pathPrefix)
        set(.path, path)
        set(.method, method?.name)
        set(.headers, headers.map { headers in headers.fields.reduce(into: Params()) { $0[$1.name] = headers[$1.name] } })
        set(.parameters, params)
        set(.authorization, isAuthorized)
        set(.serializer, serializer)
        set(.cachePolicy, cachePolicy?.rawValue)
        set(.expire, expire.map { $0 / .seconds(1) })
        set(.offlinePolicy, offlinePolicy?.rawValue)
        set(.responseSerializer, responseSerializer)
        set(.responseType, responseType?.rawValue)
        set(.responseAcceptNull, acceptsNull)
        set(.responseClass, responseClass)
        set(.userInfo, userInfo)
        set(.notes, notes)
        return members
    }
}
