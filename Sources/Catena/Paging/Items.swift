extension Request {
    /// Returns the items of a list. Each page is requested when the items before it have been consumed.
    ///
    /// ```swift
    /// for try await user in API.tag(.forum).get("/users").params(["size": 50]).items(of: User.self) { show(user) }
    /// ```
    ///
    /// The rules of ``pages(of:by:)`` apply to the end of the sequence, errors and cancellation.
    public func items<Item: Decodable & Sendable>(of type: Item.Type, by paging: Paging = .number()) -> Items<Item> {
        Items(pages: pages(of: type, by: paging))
    }
}

/// The items of a list, loaded page by page. See ``Request/items(of:by:)``.
public struct Items<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Item

    let pages: Pages<Item>

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Iterates over the items. Requests the next page after the last item of a page.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: Pages<Item>.Iterator
        /// The remaining items of the current page.
        private var left: ArraySlice<Item> = []

        fileprivate init(pages: Pages<Item>.Iterator) {
            self.pages = pages
        }

        /// Returns the next item, requesting the next page if necessary, or `nil` at the end.
        public mutating func next() async throws -> Item? {
            while true {
                if let item = left.popFirst() { return item }
                guard let page = try await pages.next() else { return nil }
                left = page.items[...]
            }
        }
    }
}
