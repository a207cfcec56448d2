import Catena
import Foundation

/// The parts of a `multipart/form-data` body (RFC 7578), whose boundary is another one each time.
struct MultipartBody: Sendable {
    struct Part: Sendable {
        let head: String
        var content: Data

        /// The content as JSON, where the part or its text says that it is that.
        var json: JSON? {
            guard let first = content.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
            return try? JSON(parsing: content)
        }

        /// The name of the field.
        var name: String { parameter("name") ?? "" }
        /// The name of the file; `nil` if it is none.
        var filename: String? { parameter("filename") }
        /// The media type; `nil` if the part names none.
        var contentType: String? {
            for line in head.split(whereSeparator: \.isNewline) where line.lowercased().hasPrefix("content-type:") {
                return line.dropFirst("content-type:".count).trimmingCharacters(in: .whitespaces)
            }
            return nil
        }

        private func parameter(_ name: String) -> String? {
            // By code points: a quote and an accent behind it are one character.
            guard let start = head.range(of: "; \(name)=\"", options: .literal)?.upperBound else { return nil }
            return String(head.unicodeScalars[start...].prefix { $0 != "\"" })
        }
    }

    var parts: [Part] = []
    private let boundary: String

    /// Nil for anything else, and for one that is not well-formed.
    init?(_ body: Data, contentType: String?) {
        guard let type = contentType, type.lowercased().hasPrefix("multipart/form-data"),
            let start = type.range(of: "boundary=", options: .caseInsensitive)?.upperBound
        else { return nil }
        boundary = type[start...].prefix { $0 != ";" }.trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        let delimiter = Data("--\(boundary)".utf8)
        guard !boundary.isEmpty, var place = body.range(of: delimiter)?.upperBound else { return nil }
        while !body[place...].starts(with: "--".utf8) {
            guard let end = body.range(of: Data("\r\n".utf8) + delimiter, in: place..<body.endIndex),
                let gap = body.range(of: Data("\r\n\r\n".utf8), in: place..<end.lowerBound),
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
    /// JSON is compared as such: the order of its members says nothing.
    static func == (left: MultipartBody.Part, right: MultipartBody.Part) -> Bool {
        guard left.head == right.head else { return false }
        if left.content == right.content { return true }
        guard let one = left.json, let other = right.json else { return false }
        return one == other
    }
}
