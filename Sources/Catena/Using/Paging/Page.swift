/// One page of a list, in any of the common formats.
///
/// ```swift
/// let page = try await API.tag(.forum).get("/users").params(["page": 1]).value(as: Page<User>.self)
/// ```
///
/// Decodes an array, or an object that contains the items under one of the keys `items list records content rows results entries datas data`. All
/// other members are optional, and numbers may be strings.
public struct Page<Item: Decodable & Sendable>: Decodable, Sendable {
    /// The items of this page, in order.
    public var items: [Item]
    /// The headers of the page's response, or empty headers if the page was not decoded by a call.
    public var headers = HTTPHeaders()
    /// The number of items on all pages, from the page or the response's headers (`X-Total-Count`, `Total-Count` or `Content-Range: items 0-9/57`).
    public var total: Int?
    /// The number of this page, in the backend's numbering.
    public var number: Int?
    /// The number of items per page.
    public var size: Int?
    /// The number of pages.
    public var pageCount: Int?
    /// Whether there are more pages.
    public var hasMore: Bool?
    /// Whether the page states that it is the first one.
    var isFirst: Bool?
    /// The number of items that the page states as skipped.
    var offset: Int?
    /// The cursor of the next page.
    public var nextCursor: String?
    /// The URL of the next page.
    public var nextLink: String?

    /// Creates a page with items only.
    public init(items: [Item]) {
        self.items = items
    }

    public init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: PlainKey.self) else {
            self.init(items: try decoder.singleValueContainer().decode([Item].self))
            return
        }
        guard let key = itemKeys.first(where: { container.contains($0) }) else {
            let names = itemKeys.map(\.stringValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: """
                        The page has its items under none of \(names). Another place is named by set(\\.unwrap, .path("…")), from the whole body.
                        """))
        }
        // Some backends write null for no items.
        self.init(items: try container.decodeIfPresent([Item].self, forKey: key) ?? [])
        total = container.number(["total", "totalElements", "totalCount", "total_count"]).flatMap(plausibleTotal)
        // `count` may be the number of items on this page, so use it only if it is larger. A list of a single page then costs one more request.
        if total == nil, let count = container.number(["count"]), count > items.count { total = count }
        number = container.number(["page", "current", "pageNo", "page_no", "pageNum", "pageNumber", "curPage", "currentPage", "number"])
        size = container.number(["size", "pageSize", "page_size", "per_page", "perPage", "limit"])
        pageCount = container.number(["pages", "pageCount", "page_count", "totalPages", "total_pages"])
            .flatMap { $0 > 0 || items.isEmpty ? $0 : nil }
        hasMore =
            container.bool(["hasMore", "has_more", "hasNext", "has_next", "hasNextPage", "has_next_page", "isTruncated", "IsTruncated"])
            ?? container.bool(["last", "isLast", "is_last", "isLastPage", "is_last_page", "isEnd", "is_end"]).map { !$0 }
            ?? container.hasNoNext()
        isFirst = container.bool(["first", "isFirst", "is_first"])
        offset = container.number(["offset", "skip"])
        nextCursor = container.text(["nextCursor", "next_cursor", "nextPageToken", "next_page_token", "cursor"])
        nextLink = container.text(["next"]) ?? container.link()
    }
}

extension Page {
    /// Returns the number of all items, or `nil` if it is smaller than that of this page. Backends that do not count write 0 or -1.
    private func plausibleTotal(_ total: Int) -> Int? { total >= items.count ? total : nil }
}

/// The keys under which a page may have its items.
private let itemKeys: [PlainKey] = ["items", "list", "records", "content", "rows", "results", "entries", "datas", "data"]
    .map { PlainKey($0) }

extension KeyedDecodingContainer<PlainKey> {
    fileprivate func number(_ keys: [String]) -> Int? {
        first(keys) { key in (try? decode(Int.self, forKey: key)) ?? (try? decode(String.self, forKey: key)).flatMap { Int($0) } }
    }

    fileprivate func bool(_ keys: [String]) -> Bool? {
        first(keys) { key in
            (try? decode(Bool.self, forKey: key)) ?? (try? decode(Int.self, forKey: key)).flatMap { $0 == 0 ? false : $0 == 1 ? true : nil }
        }
    }

    /// Returns `false` if the member `next` exists and is null.
    fileprivate func hasNoNext() -> Bool? {
        // Lenient decoding may take a missing member for a null.
        contains(PlainKey("next")) && (try? decodeNil(forKey: PlainKey("next"))) == true ? false : nil
    }

    /// Returns a string, or a number as a string. Ignores empty strings.
    fileprivate func text(_ keys: [String]) -> String? {
        first(keys) { key in
            let text = (try? decode(String.self, forKey: key)) ?? (try? decode(Int.self, forKey: key)).map { String($0) }
            return text?.isEmpty == false ? text : nil
        }
    }

    /// Returns `links.next` of JSON:API: a URL, or an object with one.
    fileprivate func link() -> String? {
        guard let links = try? nestedContainer(keyedBy: PlainKey.self, forKey: PlainKey("links")) else { return nil }
        return links.text(["next"]) ?? (try? links.nestedContainer(keyedBy: PlainKey.self, forKey: PlainKey("next")))?.text(["href"])
    }

    private func first<Value>(_ keys: [String], _ value: (PlainKey) -> Value?) -> Value? {
        for key in keys {
            let key = PlainKey(key)
            if contains(key), (try? decodeNil(forKey: key)) != true, let value = value(key) { return value }
        }
        return nil
    }
}

extension Page: ListPage {
    mutating func note(_ headers: HTTPHeaders) {
        self.headers = headers
        // Ignore a smaller number, because it counts something else. An equal one may be the number of items on this page.
        guard total == nil, let count = TotalHeader.total(in: headers) else { return }
        if count > items.count || count == items.count && headers["Content-Range"] != nil { total = count }
    }
}

/// Reads the number of items on all pages from the headers: `X-Total-Count: 57`, `Total-Count: 57`, or `Content-Range: items 0-9/57` as in RFC 9110
/// §14.4. Ignores values that are not plain counts.
enum TotalHeader {
    static func total(in headers: HTTPHeaders) -> Int? {
        count(headers, "X-Total-Count") ?? count(headers, "Total-Count") ?? headers["Content-Range"].flatMap(range)
    }

    private static func count(_ headers: HTTPHeaders, _ name: String) -> Int? {
        headers[name].flatMap { number($0[...]) }
    }

    /// Parses `items 0-9/57`, `items */57`, or a value without a unit. Ignores ranges of bytes, which count no items.
    private static func range(_ value: String) -> Int? {
        let words = value.split(separator: " ")
        guard let range = words.last, words.count == 1 || words.count == 2 && words[0].lowercased() != "bytes" else { return nil }
        let parts = range.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = number(parts[1]) else { return nil }
        if parts[0] == "*" { return total }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last, last < total else { return nil }
        return total
    }

    /// Parses a number of digits only.
    private static func number(_ text: Substring) -> Int? {
        let digits = text.trimmed()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int(digits)
    }
}
