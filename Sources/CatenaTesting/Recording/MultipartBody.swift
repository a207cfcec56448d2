import Catena
import CatenaPlatform

/// The parts of a `multipart/form-data` body (RFC 7578). Comparing parts ignores the boundary, which differs each time.
struct MultipartBody: Sendable {
    struct Part: Sendable {
        let head: String
        var content: Data

        /// The content as JSON, if it is an object or an array.
        var json: JSON? {
            guard let first = content.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
            return try? JSON(parsing: content)
        }

        /// The name of the field.
        var name: String { parameter("name") ?? "" }
        /// The name of the file, or `nil` if the part has none.
        var filename: String? { parameter("filename") }
        /// The media type, or `nil` if the part names none.
        var contentType: String? {
            for line in head.split(whereSeparator: \.isNewline) where line.lowercased().hasPrefix("content-type:") {
                return line.dropFirst("content-type:".count).trimmed()
            }
            return nil
        }

        private func parameter(_ name: String) -> String? {
            // Compare code points, because a quotation mark and a following combining accent are one `Character`.
            let scalars = head.unicodeScalars
            guard let start = scalars.firstRange(of: "; \(name)=\"".unicodeScalars)?.upperBound else { return nil }
            return String(scalars[start...].prefix { $0 != "\"" })
        }
    }

    var parts: [Part] = []
    private let boundary: String

    /// Fails if the body has another content type or is malformed.
    init?(_ body: Data, contentType: String?) {
        guard let type = contentType, type.lowercased().hasPrefix("multipart/form-data"),
            let rest = type.text(behind: "boundary=")
        else { return nil }
        boundary = rest.prefix { $0 != ";" }.trimmed(of: "\" ")
        let delimiter = Data("--\(boundary)".utf8)
        guard !boundary.isEmpty, var place = body.firstPlace(of: delimiter)?.upperBound else { return nil }
        while !body[place...].starts(with: "--".utf8) {
            guard let end = body.firstPlace(of: Data("\r\n".utf8) + delimiter, from: place),
                let gap = body[..<end.lowerBound].firstPlace(of: Data("\r\n\r\n".utf8), from: place),
                body[place...].starts(with: "\r\n".utf8)
            else { return nil }
            let head = String(decoding: body[(place + 2)..<max(gap.lowerBound, place + 2)], as: UTF8.self)
            parts.append(Part(head: head, content: Data(body[gap.upperBound..<end.lowerBound])))
            place = end.upperBound
        }
    }

    var encoded: Data {
        var body = Data()
        for part in parts {
            // A part may have no head at all (RFC 2046 §5.1).
            let head = part.head.isEmpty ? "" : part.head + "\r\n"
            body.append(contentsOf: "--\(boundary)\r\n\(head)\r\n".utf8)
            body.append(part.content)
            body.append(contentsOf: "\r\n".utf8)
        }
        return body + Data("--\(boundary)--\r\n".utf8)
    }
}

extension MultipartBody.Part: Equatable {
    /// Compares JSON as values, because the order of members is insignificant.
    static func == (left: MultipartBody.Part, right: MultipartBody.Part) -> Bool {
        guard left.head == right.head else { return false }
        if left.content == right.content { return true }
        guard let one = left.json, let other = right.json else { return false }
        return one == other
    }
}
