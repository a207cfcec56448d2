import CatenaPlatform

extension HTTPRequest {
    /// Returns the request with a body that equals that of every request with the same contents. Encoding the same values twice may
    /// give members of JSON another order, and gives a multipart form another boundary.
    var withComparableBody: HTTPRequest {
        guard let body, let type = headers["Content-Type"] else { return self }
        let media = type.prefix { $0 != ";" }.trimmed().lowercased()
        var request = self
        if media == "application/json" || media.hasSuffix("+json") {
            guard let json = try? JSON(parsing: body) else { return self }
            request.body = Data(json.sorted.utf8)
        } else if media.hasPrefix("multipart/"), let boundary = HeaderParameters(type).value(of: "boundary") {
            request.body = body.replacing(Data("--\(boundary)".utf8), with: Data("--\u{0}boundary".utf8))
            // Other parameters, such as `start` of RFC 2387, belong to the contents.
            request.headers["Content-Type"] = type.replacing(boundary, with: "")
        }
        return request
    }
}

extension JSON {
    /// The text with the members of each object in the order of their keys.
    fileprivate var sorted: String {
        switch storage {
        case .array(let elements): "[" + elements.map(\.sorted).joined(separator: ",") + "]"
        case .object(let object):
            "{" + object.members.ordered { $0.key < $1.key }.map { "\(JSON(.string($0.key))):\($0.value.sorted)" }.joined(separator: ",")
                + "}"
        default: "\(self)"
        }
    }
}

extension Data {
    fileprivate func replacing(_ mark: Data, with other: Data) -> Data {
        var (rest, changed) = (self[...], Data())
        while let place = rest.firstPlace(of: mark) {
            changed += rest[..<place.lowerBound] + other
            rest = rest[place.upperBound...]
        }
        return changed + rest
    }
}
