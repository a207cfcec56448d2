import CatenaPlatform

/// The members of a response beside its items that say whether there are more pages, and where. Pure.
///
/// Reads members at the root, beside the payload and inside it, and in the objects that commonly describe a page, such as `paging`.
struct PageStatements {
    /// A member that names the next page.
    struct Next {
        /// The path of the member, such as `paging.cursors.after`.
        let place: String
        let value: String

        /// Whether the value is an address, and not a cursor.
        var isLink: Bool { value.contains("://") || value.hasPrefix("/") || value.hasPrefix("?") }

        /// The last key of the path.
        var key: String { place.split(separator: ".").last.map(String.init) ?? place }
        /// The last key of the path, in the form in which keys are compared.
        fileprivate var name: String { key.comparedAsKey }

        /// Whether `.cursor()` reads the member.
        var isKnownCursor: Bool { Self.knownCursors.contains(name) && !isLink }
        /// Whether `.links` reads the member.
        var isKnownLink: Bool {
            let keys = place.split(separator: ".")
            return place == "next" || place.hasSuffix("@odata.nextLink")
                || (keys.first == "links" || keys.first == "_links") && keys.dropFirst().first == "next"
        }

        fileprivate static let knownCursors = ["nextcursor", "nextpagetoken", "cursor"]
    }

    /// The member that says whether there are more pages, as text such as `"has_more": true`.
    private(set) var statement: (hasMore: Bool, text: String)?
    /// The members that may name the next page, in the order of the body.
    private(set) var nexts: [Next] = []
    /// Whether the body has links to other pages, such as `prev` or `last`, or an explicit null for the next page.
    private(set) var hasOtherLinks = false
    private let text: Data
    private var left = Self.longest

    /// The number of members that are read, so that a large object beside the items costs little.
    private static let longest = 400
    private static let deepest = 4
    /// Members that say that there is more, if they are true, or that this is the end.
    private static let more: Set<String> = ["hasmore", "hasnext", "hasnextpage", "more", "ismore", "istruncated"]
    private static let end: Set<String> = ["islast", "islastpage", "isend", "nomore", "last"]
    private static let cursors: Set<String> = [
        "nextcursor", "nextpagetoken", "cursor", "nexttoken", "pagetoken", "maxcursor", "endcursor", "continuation", "continuationtoken",
        "nextcontinuationtoken", "nextmarker", "nextmaxid", "nextkey", "nextoffset", "lastevaluatedkey", "scrollid", "after", "next",
        "nextpage", "nextpageurl", "nextlink", "nexturl", "nexthref", "odatanextlink",
    ]
    /// Members that name another page, so that a missing next one is the end.
    private static let others: Set<String> = ["prev", "previous", "first", "prevpageurl", "previouspageurl"]
    private static let containers: Set<String> = [
        "data", "result", "payload", "response", "body", "paging", "pagination", "page", "pageinfo", "pager", "meta", "metadata",
        "responsemetadata", "cursor", "cursors", "links", "next",
    ]

    init(_ reading: EnvelopeResult) {
        text = reading.text
        guard text.first == UInt8(ascii: "{") else { return }
        read(0..<text.count, at: [], payload: reading.contents.guess?.payload ?? reading.payloadRange)
    }

    /// The cursor under one of the names that ``Page`` reads, wherever it stands.
    var cursor: String? {
        for name in Next.knownCursors {
            if let next = nexts.first(where: { $0.name == name && $0.isKnownCursor }) { return next.value }
        }
        return nil
    }

    /// The link of JSON:API (§ Pagination), HAL (§ 5) or OData (JSON Format § 4.5.5).
    var link: String? { nexts.first(where: \.isKnownLink)?.value }

    private mutating func read(_ range: Range<Int>, at path: [String], payload: Range<Int>?) {
        for member in JSONMemberList.read(text, in: range) {
            left -= 1
            guard left > 0 else { return }
            let key = String(decoding: text.bytes(in: member.source).dropFirst().dropLast(), as: UTF8.self)
            let name = key.comparedAsKey
            switch member.span.kind {
            case .object:
                let holdsPayload = payload.map { member.span.range.contains($0.lowerBound) } ?? false
                guard path.count < Self.deepest, Self.containers.contains(name) || holdsPayload else { break }
                if name == "links" { hasOtherLinks = true }
                read(member.span.range, at: path + [key], payload: payload)
            case .array: break
            default: note(key, name, text.bytes(in: member.span.range), at: path)
            }
        }
    }

    private mutating func note(_ key: String, _ name: String, _ source: Data, at path: [String]) {
        guard let value = try? JSON(parsing: source) else { return }
        if let truth = value.truth, statement == nil {
            let hasMore = Self.more.contains(name) ? truth : Self.end.contains(name) ? !truth : nil
            if let hasMore { statement = (hasMore, "\"\((path + [key]).joined(separator: "."))\": \(value)") }
        }
        if Self.others.contains(name) && value.bool == nil || value.isNull && Self.cursors.contains(name) { hasOtherLinks = true }
        // `href` is the link in an object of HAL or JSON:API.
        let isHref = name == "href" && path.last?.comparedAsKey == "next"
        guard isHref || Self.cursors.contains(name), let cursor = value.cursor, cursor != "0" else { return }
        // Only a cursor of pages is called so in an object of this name.
        if name == "after" && path.last?.comparedAsKey != "cursors" && path.last?.comparedAsKey != "paging" { return }
        nexts.append(Next(place: (path + [key]).joined(separator: "."), value: cursor))
    }
}

extension JSON {
    /// The truth value, also as a number or a text.
    fileprivate var truth: Bool? {
        if let bool { return bool }
        return switch int.map(String.init) ?? string?.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// The text or whole number with which a page is requested, or `nil` if this is none.
    var cursor: String? {
        if let string { return string.isEmpty ? nil : string }
        return int.map(String.init)
    }
}

extension EnvelopeResult {
    /// The range of the payload in the text, or `nil` if it is not a part of it.
    fileprivate var payloadRange: Range<Int>? {
        if case .range(let range) = payload { range } else { nil }
    }

    /// Returns the value at a path of the payload, or else of the whole body.
    func value(at path: JSONPath) -> JSON? {
        let inPayload = (contents.guess?.payload.map { text.bytes(in: $0) } ?? payloadBytes).flatMap { Self.value(at: path, of: $0) }
        return inPayload ?? Self.value(at: path, of: text)
    }

    private static func value(at path: JSONPath, of bytes: Data) -> JSON? {
        var (range, kind) = (0..<bytes.count, JSONSpan.Kind?.none)
        for step in path.steps {
            guard case .key(let key) = step, kind == nil || kind == .object else { return nil }
            let quoted = "\"\(key)\""
            let members = JSONMemberList.read(bytes, in: range)
            guard let member = members.first(where: { bytes.bytes(in: $0.source).elementsEqual(quoted.utf8) }) else { return nil }
            (range, kind) = (member.span.range, member.span.kind)
        }
        return try? JSON(parsing: bytes.bytes(in: range))
    }
}
