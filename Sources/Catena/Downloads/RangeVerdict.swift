import Foundation

/// What a response to a request for the rest of a file means. Pure.
enum RangeVerdict: Equatable {
    /// The whole file, from its beginning.
    case whole
    /// What was asked for, up to this byte at least.
    case rest(end: Int64, total: Int64?)
    /// There is no rest: the file was complete.
    case complete
    /// Nothing that fits to what is there.
    case mismatch

    init(_ response: HTTPResponse, offset: Int64, record: PartialRecord) {
        switch response.status {
        case 206:
            guard let range = ContentRange(response), range.start == offset, let end = range.end, !response.headers.hasContentCoding,
                Self.isSameVersion(response, record), record.total == nil || range.total == nil || record.total == range.total,
                // Where neither says how much there is, nobody could tell a whole file from a cut one.
                let total = range.total ?? record.total
            else {
                self = .mismatch
                return
            }
            self = .rest(end: end, total: total)
        case 416:
            let range = ContentRange(response)
            let isComplete = range?.start == nil && range?.total == offset && (record.total ?? offset) == offset
            self = isComplete && Self.isSameVersion(response, record) ? .complete : .mismatch
        case 412:
            self = .mismatch
        default:
            self = Self.isWhole(response, record) ? .whole : .mismatch
        }
    }

    /// Whether a response is the file from its beginning to its end: some servers send a part and call it the whole.
    static func isWhole(_ response: HTTPResponse, _ record: PartialRecord?) -> Bool {
        if let range = ContentRange(response), range.start != nil, range.start != 0 || range.total.map({ range.end != $0 - 1 }) ?? true {
            return false
        }
        // The version that is known, in another length.
        guard let record, let tag = record.tag, tag == response.headers["ETag"], !tag.hasPrefix("W/"), let total = record.total,
            let length = response.bodyLength
        else { return true }
        return length == total
    }

    /// Whether nothing that both say of their version differs. The server may leave out what it said before (RFC 9110 §15.3.7).
    private static func isSameVersion(_ response: HTTPResponse, _ record: PartialRecord) -> Bool {
        let isTag = record.validator.hasPrefix("\"")
        let tag = record.tag ?? (isTag ? record.validator : nil)
        let modified = record.modified ?? (isTag ? nil : record.validator)
        return agree(response.headers["ETag"], tag) && agree(response.headers["Last-Modified"], modified)
    }

    private static func agree(_ one: String?, _ other: String?) -> Bool { one == nil || other == nil || one == other }
}

/// Which bytes of which whole a response has (RFC 9110 §14.4).
struct ContentRange: Equatable {
    /// The first and the last byte; `nil` if there are none.
    let start: Int64?
    let end: Int64?
    /// The size of the whole; `nil` if it is not known.
    let total: Int64?

    init?(_ response: HTTPResponse) {
        let values = response.headers.values(for: "Content-Range")
        guard values.count == 1, let value = values.first else { return nil }
        self.init(value)
    }

    init?(_ value: String) {
        let parts = value.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        total = Self.number(halves[1])
        guard total != nil || halves[1] == "*" else { return nil }
        guard halves[0] != "*" else {
            (start, end) = (nil, nil)
            return
        }
        let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let start = Self.number(bounds[0]), let end = Self.number(bounds[1]), start <= end, end < total ?? .max
        else { return nil }
        (self.start, self.end) = (start, end)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(text) : nil
    }
}

/// What the bytes of an unfinished download belong to, kept in a file beside them.
struct PartialRecord: Codable, Sendable, Equatable {
    /// Stands for the request, whose address may hold secrets: a digest of it behind the salt, so that it cannot be looked up by guesses of many.
    let identity: String
    let salt: String
    /// What the server says of the file to tell one version from another (RFC 9110 §8.8).
    let validator: String
    /// The size of the whole file, if it is known.
    let total: Int64?
    /// What else the server said of the version, weak or not: a part with something else belongs to another one.
    var tag: String?
    var modified: String?

    init(identity: String, validator: String, total: Int64?) {
        salt = UUID().uuidString
        self.identity = Self.digest(of: identity, salt)
        self.validator = validator
        self.total = total
    }

    /// Whether the bytes are of a request.
    func belongs(to identity: String) -> Bool { Self.digest(of: identity, salt) == self.identity }

    private static func digest(of identity: String, _ salt: String) -> String {
        Hexadecimal.text(SHA256.digest(of: "\(salt) \(identity)".utf8))
    }

    /// `nil` if the rest of this response could not be asked for later.
    init?(of response: HTTPResponse, identity: String) {
        guard response.status == 200, !response.headers.hasContentCoding, response.headers["Accept-Ranges"]?.lowercased() != "none",
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
            try OwnerOnlyFile.write(try JSONEncoder().encode(self), to: URL(filePath: path), isDurable: false)
        } catch {
            throw APIError.file("The record of the download could not be written", underlying: error)
        }
    }
}
