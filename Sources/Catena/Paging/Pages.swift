import Foundation

/// The method of requesting the pages of a list.
public struct Paging: Sendable {
    enum Way: Sendable {
        case number(name: String, first: Int)
        case offset(name: String)
        case cursor(name: String)
        case links
    }

    let way: Way
    /// The maximum number of pages. A longer list counts as endless and fails.
    var pageLimit = 10_000

    /// Sends a param with the page number.
    public static func number(_ name: String = "page", from first: Int = 1) -> Paging {
        Paging(way: .number(name: name, first: first))
    }

    /// Sends a param with the number of items to skip.
    public static func offset(_ name: String = "offset") -> Paging {
        Paging(way: .offset(name: name))
    }

    /// Sends a param with the cursor from the previous page.
    public static func cursor(_ name: String = "cursor") -> Paging {
        Paging(way: .cursor(name: name))
    }

    /// Requests the URL of the next page, from the page itself, a `Link` header (RFC 8288), or `links.next` beside the payload.
    public static let links = Paging(way: .links)

    /// Returns a copy that fails after this many pages.
    public func limit(_ pages: Int) -> Paging {
        var paging = self
        paging.pageLimit = pages
        return paging
    }
}

extension Request {
    /// Returns the pages of a list. Each page is requested when the loop asks for it.
    ///
    /// ```swift
    /// for try await page in API.tag(.forum).get("/users").params(["size": 50]).pages(of: User.self, by: .number()) {
    ///     show(page.items)
    /// }
    /// ```
    ///
    /// The sequence ends at a page that states its end, is empty, or leads to no new page. It fails if the backend sends the same page twice in a
    /// row. Leaving the loop or cancelling its task stops the requests. Links to another origin are refused.
    public func pages<Item: Decodable & Sendable>(of type: Item.Type, by paging: Paging = .number()) -> Pages<Item> {
        Pages(request: self, paging: paging)
    }
}

/// The pages of a list, loaded one by one. See ``Request/pages(of:by:)``.
public struct Pages<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Page<Item>

    let request: Request
    let paging: Paging

    public func makeAsyncIterator() -> Iterator {
        Iterator(walk: PageWalk(request.aged, paging))
    }

    /// Iterates over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var walk: PageWalk

        fileprivate init(walk: PageWalk) {
            self.walk = walk
        }

        /// Requests the next page. Returns `nil` at the end.
        public mutating func next() async throws -> Page<Item>? {
            guard let request = walk.nextRequest else { return nil }
            do {
                let run = CallRun(request)
                let target = walk.target(Page<Item>.self, history: run.history)
                let page: Page<Item>
                (page, walk) = try await run.promise { try await run.value(target) }.result.get()
                if let gap = walk.gap { run.client.report(gap: gap, of: request) }
                return walk.isPastEnd(page) ? nil : page
            } catch {
                walk.end()
                throw error
            }
        }
    }
}

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
