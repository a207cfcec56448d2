import Foundation

/// How a list is asked for page by page.
public struct Paging: Sendable {
    enum Way: Sendable {
        case number(name: String, first: Int)
        case offset(name: String)
        case cursor(name: String)
        case links
    }

    let way: Way
    /// A list of more pages than this is taken for one without an end.
    var pageLimit = 10_000

    /// By a param that counts pages.
    public static func number(_ name: String = "page", from first: Int = 1) -> Paging {
        Paging(way: .number(name: name, first: first))
    }

    /// By a param that says how many items to skip.
    public static func offset(_ name: String = "offset") -> Paging {
        Paging(way: .offset(name: name))
    }

    /// By a param that takes the cursor of the page before.
    public static func cursor(_ name: String = "cursor") -> Paging {
        Paging(way: .cursor(name: name))
    }

    /// By the address of the next page: in the page, in a `Link` header (RFC 8288), or in `links.next` beside the payload.
    public static let links = Paging(way: .links)

    /// Fails after this many pages.
    public func limit(_ pages: Int) -> Paging {
        var paging = self
        paging.pageLimit = pages
        return paging
    }
}

extension Request {
    /// The pages of a list, one after the other; each is asked for when it is wanted.
    ///
    /// ```swift
    /// for try await page in API.tag(.forum).get("/users").params(["size": 50]).pages(of: User.self, by: .number()) {
    ///     show(page.items)
    /// }
    /// ```
    ///
    /// The sequence ends with a page that says so, that is empty, or that leads nowhere new; it fails where a backend sends the same
    /// page again and again. Ending the loop, or cancelling its task, ends the asking. A link to another origin is refused.
    public func pages<Item: Decodable & Sendable>(of type: Item.Type, by paging: Paging = .number()) -> Pages<Item> {
        Pages(request: self, paging: paging)
    }
}

/// Pages of a list, one after the other. See ``Request/pages(of:by:)``.
public struct Pages<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Page<Item>

    let request: Request
    let paging: Paging

    public func makeAsyncIterator() -> Iterator {
        Iterator(walk: PageWalk(request, paging))
    }

    /// Asks for one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var walk: PageWalk

        /// Asks for the next page; `nil` if there is none.
        public mutating func next() async throws -> Page<Item>? {
            guard let request = walk.nextRequest else { return nil }
            do {
                let execution = Execution(request)
                let target = walk.target(Page<Item>.self, log: execution.log)
                let page: Page<Item>
                (page, walk) = try await execution.promise { try await execution.value(target) }.result.get()
                if let gap = walk.gap { execution.client.report(gap: gap, of: request) }
                return walk.isPastEnd(page) ? nil : page
            } catch {
                walk.end()
                throw error
            }
        }
    }
}
