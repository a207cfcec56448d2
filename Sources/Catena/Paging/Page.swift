/// One page of a list, in whichever of the usual forms a backend gives it.
///
/// ```swift
/// let page = try await API.tag(.forum).get("/users").params(["page": 1]).value(as: Page<User>.self)
/// ```
///
/// It is decoded from an object that has the items under one of `items list records content rows results entries datas data`, or
/// from an array. Of the rest, what there is counts, numbers also where they are written as text.
public struct Page<Item: Decodable & Sendable>: Decodable, Sendable {
    /// The items of this page, in order.
    public var items: [Item]
    /// The headers of the response that the page came with; none where something else than a call has decoded it.
    public var headers = HTTPHeaders()
    /// How many items there are on all pages: as the page says, else as its head does (`X-Total-Count`, `Total-Count`, or
    /// `Content-Range: items 0-9/57`).
    public var total: Int?
    /// The number of this page, as the backend counts.
    public var number: Int?
    /// How many items a page has.
    public var size: Int?
    /// How many pages there are.
    public var pageCount: Int?
    /// Whether there are more pages.
    public var hasMore: Bool?
    /// Whether the page says that it is the first one.
    var isFirst: Bool?
    /// How many items the page says to have skipped.
    var offset: Int?
    /// What leads to the next page.
    public var nextCursor: String?
    /// The address of the next page.
    public var nextLink: String?

    /// Makes a page of which nothing but its items is known.
    public init(items: [Item]) {
        self.items = items
    }

    public init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: PageKey.self) else {
            self.init(items: try decoder.singleValueContainer().decode([Item].self))
            return
        }
        guard let key = PageKey.items.first(where: { container.contains($0) }) else {
            let names = PageKey.items.map(\.stringValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "The page has its items under none of \(names)."))
        }
        // No items are written as null by some backends.
        self.init(items: try container.decodeIfPresent([Item].self, forKey: key) ?? [])
        total = container.number(["total", "totalElements", "totalCount", "total_count"])
        // Some count what is on the page by this name. A list whose only page this is ends all the same, one request later.
        if total == nil, let count = container.number(["count"]), count > items.count { total = count }
        number = container.number(["page", "current", "pageNo", "page_no", "pageNum", "pageNumber", "curPage", "currentPage", "number"])
        size = container.number(["size", "pageSize", "page_size", "per_page", "perPage", "limit"])
        pageCount = container.number(["pages", "pageCount", "page_count", "totalPages", "total_pages"])
        hasMore =
            container.bool(["hasMore", "has_more", "hasNext", "has_next"]) ?? container.bool(["last"]).map { !$0 }
            ?? container.hasNoNext()
        isFirst = container.bool(["first", "isFirst", "is_first"])
        offset = container.number(["offset", "skip"])
        nextCursor = container.text(["nextCursor", "next_cursor", "nextPageToken", "next_page_token", "cursor"])
        nextLink = container.text(["next"]) ?? container.link()
    }
}

private struct PageKey: CodingKey {
    static let items: [PageKey] = ["items", "list", "records", "content", "rows", "results", "entries", "datas", "data"].map { PageKey($0) }

    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: String) {
        stringValue = key
    }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

extension KeyedDecodingContainer<PageKey> {
    fileprivate func number(_ keys: [String]) -> Int? {
        first(keys) { key in (try? decode(Int.self, forKey: key)) ?? (try? decode(String.self, forKey: key)).flatMap { Int($0) } }
    }

    fileprivate func bool(_ keys: [String]) -> Bool? {
        first(keys) { try? decode(Bool.self, forKey: $0) }
    }

    /// `false` where the place of the next page is there and says that there is none.
    fileprivate func hasNoNext() -> Bool? {
        (try? decodeNil(forKey: PageKey("next"))) == true ? false : nil
    }

    /// Text, or a number as text; what is empty leads nowhere.
    fileprivate func text(_ keys: [String]) -> String? {
        first(keys) { key in
            let text = (try? decode(String.self, forKey: key)) ?? (try? decode(Int.self, forKey: key)).map { String($0) }
            return text?.isEmpty == false ? text : nil
        }
    }

    /// `links.next`, as JSON:API has it: an address, or an object with one.
    fileprivate func link() -> String? {
        guard let links = try? nestedContainer(keyedBy: PageKey.self, forKey: PageKey("links")) else { return nil }
        return links.text(["next"]) ?? (try? links.nestedContainer(keyedBy: PageKey.self, forKey: PageKey("next")))?.text(["href"])
    }

    private func first<Value>(_ keys: [String], _ value: (PageKey) -> Value?) -> Value? {
        for key in keys {
            let key = PageKey(key)
            if contains(key), let value = value(key) { return value }
        }
        return nil
    }
}

extension Page: ListPage {
    mutating func note(_ headers: HTTPHeaders) {
        self.headers = headers
        // A list has no fewer items than one page of it: a smaller number counts something else, and an equal one may count the page.
        guard total == nil, let count = TotalHeader.total(in: headers) else { return }
        if count > items.count || count == items.count && headers["Content-Range"] != nil { total = count }
    }
}
