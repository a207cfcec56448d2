import Foundation

/// What the bytes of an unfinished download belong to, kept in a file beside them.
struct PartialRecord: Codable, Sendable, Equatable {
    /// Stands for the request; not its address, which may hold secrets.
    let identity: String
    /// What the server says of the file to tell one version from another (RFC 9110 §8.8).
    let validator: String
    /// The size of the whole file, if it is known.
    let total: Int64?
    /// What else the server said of the version, weak or not: a part with something else belongs to another one.
    var tag: String?
    var modified: String?

    init(identity: String, validator: String, total: Int64?) {
        self.identity = identity
        self.validator = validator
        self.total = total
    }

    /// `nil` if the rest of this answer could not be asked for later.
    init?(of response: HTTPResponse, identity: String) {
        guard response.status == 200, !response.hasContentCoding, response.headers["Accept-Ranges"]?.lowercased() != "none",
            let validator = Self.strongValidator(of: response.headers)
        else { return nil }
        self.init(identity: identity, validator: validator, total: response.bodyLength)
        tag = response.headers["ETag"]
        modified = response.headers["Last-Modified"]
    }

    /// Only a strong validator says that two versions have the same bytes (RFC 9110 §13.1.5).
    private static func strongValidator(of headers: HTTPHeaders) -> String? {
        if let tag = headers["ETag"] {
            return tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"") ? tag : nil
        }
        // A date is strong if the file could not have changed again within its second, as the server's own clock has it (§8.8.2.2).
        let now = Date()
        guard let text = headers["Last-Modified"], let modified = HeaderDate.parse(text, now: now),
            let date = headers["Date"].flatMap({ HeaderDate.parse($0, now: now) }), date.timeIntervalSince(modified) >= 60
        else { return nil }
        return text
    }
}

extension PartialRecord {
    /// The record in a file; `nil` if there is none that can be read.
    init?(at path: String) {
        guard let data = FileManager.default.contents(atPath: path), let record = try? JSONDecoder().decode(Self.self, from: data),
            // It becomes a header.
            (try? HeaderRules.checked(HTTPHeaders.Field(name: "If-Range", value: record.validator))) != nil
        else { return nil }
        self = record
    }

    func write(to path: String) throws {
        do {
            try JSONEncoder().encode(self).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw APIError.file("The record of the download could not be written", underlying: error)
        }
    }
}
