import Catena

/// Swift source for the params of a query or a form.
enum ParamsCode {
    /// Returns a literal of params, or `nil` if the params would be sent with other bytes.
    ///
    /// - Parameters:
    ///   - text: The encoded params as they were sent.
    ///   - shown: The encoded params without secrets, which the literal contains.
    static func literal(of text: String, shownAs shown: String) -> String? {
        var params = Params()
        for (name, values) in members(of: text) {
            if values.count == 1 { params[name] = values[0] } else { params[name] = values }
        }
        // The check covers repeated names, names without a value, and the styles of a tag or a call.
        guard let encoded = try? URLQueryEncoder.encode(params, style: ParameterStyle()), encoded == text else { return nil }
        let members = members(of: shown).map { name, values in
            let values = values.map(CallCode.quoted)
            return "\(CallCode.quoted(name)): " + (values.count == 1 ? values[0] : "[\(values.joined(separator: ", "))]")
        }
        return "[\(members.joined(separator: ", "))]"
    }

    /// Returns the decoded names and values. Successive elements of an array, such as `ids[]=1&ids[]=2`, are the values of one name.
    private static func members(of text: String) -> [(name: String, values: [String])] {
        var members: [(name: String, values: [String])] = []
        for pair in text.split(separator: "&") {
            let name = PercentDecoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
            let value = PercentDecoding.decode(pair.drop { $0 != "=" }.dropFirst(), plusIsSpace: true)
            if name.hasSuffix("[]"), members.last?.name == name {
                members[members.count - 1].values.append(value)
            } else {
                members.append((name, [value]))
            }
        }
        // The encoder adds the brackets to the name of an array.
        return members.map { $0.values.count == 1 ? $0 : (name: String($0.name.dropLast(2)), values: $0.values) }
    }
}
