/// What an answer to a request for the rest of a file means. Pure.
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
            guard let range = ContentRange(response), range.start == offset, let end = range.end, !response.hasContentCoding,
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
        default:
            self = .whole
        }
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

/// Which bytes of which whole an answer has (RFC 9110 §14.4).
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
