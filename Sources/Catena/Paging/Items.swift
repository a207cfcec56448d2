extension Request {
    /// The items of a list, page after page; each page is asked for when the items before it have been taken.
    ///
    /// ```swift
    /// for try await user in API.tag(.forum).get("/users").params(["size": 50]).items(of: User.self) { show(user) }
    /// ```
    ///
    /// What is said of ``pages(of:by:)`` holds: when the sequence ends, when it fails, and that ending the loop ends the asking.
    public func items<Item: Decodable & Sendable>(of type: Item.Type, by paging: Paging = .number()) -> Items<Item> {
        Items(pages: pages(of: type, by: paging))
    }
}

/// Items of a list, page after page. See ``Request/items(of:by:)``.
public struct Items<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Item

    let pages: Pages<Item>

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Reads the items page by page. The next page is asked for when the last one is used up.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: Pages<Item>.Iterator
        /// What is left of the last page.
        private var left: ArraySlice<Item> = []

        fileprivate init(pages: Pages<Item>.Iterator) {
            self.pages = pages
        }

        /// The next item, for which the next page is asked for if need be; `nil` if there is none.
        public mutating func next() async throws -> Item? {
            while true {
                if let item = left.popFirst() { return item }
                guard let page = try await pages.next() else { return nil }
                left = page.items[...]
            }
        }
    }
}
