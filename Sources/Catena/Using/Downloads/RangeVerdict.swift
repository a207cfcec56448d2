import CatenaPlatform

/// The meaning of a response to a request for the rest of a file. Pure.
enum RangeVerdict: Equatable {
    /// The response is the whole file from its beginning.
    case whole
    /// The response is the requested rest, at least up to byte `end`.
    case rest(end: Int64, total: Int64?)
    /// There is no rest, because the file was complete.
    case complete
    /// The response does not match the existing bytes.
    case mismatch

    init(_ response: HTTPResponse, offset: Int64, record: PartialRecord) {
        switch response.status {
        case 206:
            guard let range = ContentRange(response), range.start == offset, let end = range.end, !response.headers.hasContentCoding,
                Self.isSameVersion(response, record), record.total == nil || range.total == nil || record.total == range.total,
                // If neither states the total size, a complete file could not be told from a truncated one.
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

    /// Returns whether a response is the whole file. Some servers send a part and declare it as the whole.
    static func isWhole(_ response: HTTPResponse, _ record: PartialRecord?) -> Bool {
        if let range = ContentRange(response), range.start != nil, range.start != 0 || range.total.map({ range.end != $0 - 1 }) ?? true {
            return false
        }
        // The known version must have the known length. A response that names none may be a part as well.
        guard let record, record.isNamed(in: response.headers), let total = record.total else { return true }
        return response.bodyLength == total
    }

    /// Returns whether the version in the response does not contradict the record. The server may omit validators that it sent before (RFC
    /// 9110 §15.3.7).
    private static func isSameVersion(_ response: HTTPResponse, _ record: PartialRecord) -> Bool {
        let isTag = record.validator.hasPrefix("\"")
        let tag = record.tag ?? (isTag ? record.validator : nil)
        let modified = record.modified ?? (isTag ? nil : record.validator)
        return agree(response.headers["ETag"], tag) && agree(response.headers["Last-Modified"], modified)
    }

    private static func agree(_ one: String?, _ other: String?) -> Bool { one == nil || other == nil || one == other }
}

/// The range of bytes in a response (RFC 9110 §14.4).
struct ContentRange: Equatable {
    /// The first and the last byte, or `nil` if the response states none.
    let start: Int64?
    let end: Int64?
    /// The total size, or `nil` if it is unknown.
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

/// The identity of an unfinished download, stored in a file beside its bytes.
struct PartialRecord: Codable, Sendable, Equatable {
    /// A salted digest of the request, because its address may hold secrets. The salt prevents a lookup in precomputed digests.
    let identity: String
    let salt: String
    /// The validator with which the server identifies a version of the file (RFC 9110 §8.8).
    let validator: String
    /// The size of the whole file, if it is known.
    let total: Int64?
    /// The other validators of the version, weak or strong. A response with different ones belongs to another version.
    var tag: String?
    var modified: String?

    init(identity: String, validator: String, total: Int64?) {
        salt = UUID().uuidString
        self.identity = Self.digest(of: identity, salt)
        self.validator = validator
        self.total = total
    }

    /// Returns whether the bytes belong to a request.
    func belongs(to identity: String) -> Bool { Self.digest(of: identity, salt) == self.identity }

    private static func digest(of identity: String, _ salt: String) -> String {
        Hexadecimal.text(SHA256.digest(of: "\(salt) \(identity)".utf8))
    }

    /// Returns `nil` if the rest of this response cannot be requested later.
    init?(of response: HTTPResponse, identity: String) {
        guard response.status == 200, !response.headers.hasContentCoding, response.headers["Accept-Ranges"]?.lowercased() != "none",
            let validator = Self.strongValidator(of: response.headers)
        else { return nil }
        self.init(identity: identity, validator: validator, total: response.bodyLength)
        tag = response.headers["ETag"]
        modified = response.headers["Last-Modified"]
    }

    /// Returns whether the headers name the version.
    func isNamed(in headers: HTTPHeaders) -> Bool {
        tag.map { $0 == headers["ETag"] } ?? modified.map { $0 == headers["Last-Modified"] } ?? false
    }

    /// Returns the strong validator, if any. Only a strong one guarantees that two versions have the same bytes (RFC 9110 §13.1.5).
    private static func strongValidator(of headers: HTTPHeaders) -> String? {
        if let tag = headers["ETag"] {
            return tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"") ? tag : nil
        }
        // A date is strong if the file cannot have changed again within the same second of the server's clock (§8.8.2.2).
        let now = Date()
        guard let text = headers["Last-Modified"], let modified = HeaderDate.parse(text, now: now),
            let date = headers["Date"].flatMap({ HeaderDate.parse($0, now: now) }), date.timeIntervalSince(modified) >= 60
        else { return nil }
        return text
    }
}

extension PartialRecord {
    /// Reads the record from a file. Returns `nil` if there is no readable record.
    init?(at path: String) {
        guard let (data, _) = try? LocalFile.read(path, .own, limit: 1 << 20),
            let record = try? JSONDecoder().decode(Self.self, from: data),
            // The validator becomes a header.
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
