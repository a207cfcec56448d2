import CatenaPlatform

// Params of `Encodable` values follow the strategies of the tag's encoder. They are applied when the request is assembled, because the value is encoded
// by a step, which may stand before that of the tag.
extension Params {
    /// Returns params whose encoded members have the keys, dates and bytes that an encoder writes. Other members stay.
    ///
    /// Dates that the encoder leaves to themselves, which are seconds since 2001 in JSON, stay dates and follow ``ParameterStyle/dates``.
    func following(_ encoder: JSONEncoder) throws(ParameterError) -> Params {
        let strategies = EncoderStrategies(encoder: encoder)
        var params = Params()
        for member in members {
            let own = member.isCoded ? try strategies.member(member, at: []) : member
            params.set(own.node, for: own.key)
        }
        return params
    }
}

private struct EncoderStrategies {
    let encoder: JSONEncoder

    func member(_ member: Params.Member, at path: [any CodingKey]) throws(ParameterError) -> Params.Member {
        let inner = path + [PlainKey.name(member.key)]
        let node: ParameterNode
        do throws(ParameterError) {
            node = try self.node(member.node, at: inner)
        } catch {
            throw error.inside(member.key)
        }
        return Params.Member(key: member.isCoded ? key(member.key, at: inner) : member.key, node: node)
    }

    private func key(_ key: String, at path: [any CodingKey]) -> String {
        switch encoder.keyEncodingStrategy {
        case .useDefaultKeys: key
        case .convertToSnakeCase: KeyCase.snake.apply(to: key)
        case .custom(let convert): convert(path).stringValue
        @unknown default: key
        }
    }

    private func node(_ node: ParameterNode, at path: [any CodingKey]) throws(ParameterError) -> ParameterNode {
        switch node {
        case .date(let date): return try self.date(date, node, at: path)
        case .data(let data):
            guard case .custom(let encode) = encoder.dataEncodingStrategy else { return node }
            return try custom(at: path) { try encode(data, $0) }
        case .array(let elements):
            var nodes: [ParameterNode] = []
            nodes.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                do throws(ParameterError) {
                    nodes.append(try self.node(element, at: path + [PlainKey.index(index)]))
                } catch {
                    throw error.inside(index)
                }
            }
            return .array(nodes)
        case .object(let object):
            var params = Params()
            for member in object.members {
                let own = try self.member(member, at: path)
                params.set(own.node, for: own.key)
            }
            return .object(params)
        default: return node
        }
    }

    private func date(_ date: Date, _ node: ParameterNode, at path: [any CodingKey]) throws(ParameterError) -> ParameterNode {
        switch encoder.dateEncodingStrategy {
        case .deferredToDate: return node
        case .secondsSince1970: return .double(date.timeIntervalSince1970)
        case .millisecondsSince1970: return .double(date.timeIntervalSince1970 * 1000)
        case .iso8601: return .string(date.iso8601Text ?? date.formatted(.iso8601))
        #if canImport(Darwin)
        case .formatted(let formatter): return .string(formatter.string(from: date))
        #endif
        case .custom(let encode): return try custom(at: path) { try encode(date, $0) }
        @unknown default: return node
        }
    }

    /// Returns the node that a closure of the app writes.
    private func custom(at path: [any CodingKey], _ encode: (any Encoder) throws -> Void) throws(ParameterError) -> ParameterNode {
        let encoder = ParameterNodeEncoder(builder: ParameterNodeBuilder(), codingPath: path, depth: path.count)
        do {
            try encode(encoder)
        } catch {
            throw ParameterError("encoding it failed: \(APIError.wrapping(error).message)", underlying: error)
        }
        return try encoder.builder.finish()
    }
}
