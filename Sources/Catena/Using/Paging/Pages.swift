import CatenaPlatform

/// The method of requesting the pages of a list.
public struct Paging: Sendable {
    enum Way: Sendable {
        case number(name: String, first: Int)
        case offset(name: String, first: Int)
        case cursor(CursorSource, name: String)
        case links(Place?)
    }

    enum CursorSource: Sendable {
        /// One of the members that ``Page`` reads.
        case page
        case place(Place)
        /// A closure of the caller, which receives the page.
        case closure(@Sendable (any Sendable) -> (any ParameterValue)?)
    }

    /// A place in the response that the caller names.
    struct Place: Sendable {
        let text: String

        func path() throws -> JSONPath {
            do throws(JSONPathError) {
                return try JSONPath(text)
            } catch {
                throw APIError.invalid("pages", "\(error)")
            }
        }
    }

    let way: Way
    /// The maximum number of pages. A longer list counts as endless and fails.
    var pageLimit = 10_000

    /// Sends a param with the page number.
    ///
    /// - Parameters:
    ///   - name: The name of the param. If the call itself sets it, the list begins there.
    ///   - first: The number of the first page.
    public static func number(_ name: String = "page", from first: Int = 1) -> Paging {
        Paging(way: .number(name: name, first: first))
    }

    /// Sends a param with the position of the page's first item.
    ///
    /// - Parameters:
    ///   - name: The name of the param. If the call itself sets it, the list begins there.
    ///   - first: The position of the list's first item: 0 if the param is the number of items to skip.
    public static func offset(_ name: String = "offset", from first: Int = 0) -> Paging {
        Paging(way: .offset(name: name, first: first))
    }

    /// Sends a param with the cursor of the previous page: its `nextCursor`, `next_cursor`, `nextPageToken`, `next_page_token` or `cursor`.
    public static func cursor(_ name: String = "cursor") -> Paging {
        Paging(way: .cursor(.page, name: name))
    }

    /// Sends a param with the cursor at a place of the previous response, such as `.cursor("paging.next", as: "after")`.
    ///
    /// A cursor that is missing, null or empty ends the list. So does 0, unless the page says that there are more.
    ///
    /// - Parameters:
    ///   - place: The path of the cursor in the payload or in the whole body.
    ///   - name: The name of the param.
    public static func cursor(_ place: String, as name: String) -> Paging {
        Paging(way: .cursor(.place(Place(text: place)), name: name))
    }

    /// Requests the URL of the next page: the page's `next`, a `Link` header (RFC 8288), or `links.next`, `_links.next.href` or
    /// `@odata.nextLink` anywhere beside the items.
    public static let links = Paging(way: .links(nil))

    /// Requests the URL at a place of the previous response, such as `.links("meta.next_page_url")`.
    public static func links(_ place: String) -> Paging { Paging(way: .links(Place(text: place))) }

    /// Returns a copy that fails after this many pages.
    public func limit(_ pages: Int) -> Paging {
        var paging = self
        paging.pageLimit = pages
        return paging
    }
}

/// The method of requesting the pages of a list by a cursor that a closure makes of the previous page.
public struct CursorPaging<Item: Decodable & Sendable>: Sendable {
    var paging: Paging

    /// Sends a param with a value of the previous page, such as the id of its last item.
    ///
    /// ```swift
    /// .cursor(as: "starting_after") { page in page.items.last?.id }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the param.
    ///   - cursor: Returns the cursor of the next page, or `nil` at the end. It is not asked after a page that says that it is the last one.
    public static func cursor(as name: String, _ cursor: @escaping @Sendable (Page<Item>) -> (any ParameterValue)?) -> CursorPaging {
        CursorPaging(paging: Paging(way: .cursor(.closure { page in (page as? Page<Item>).flatMap(cursor) }, name: name)))
    }

    /// Returns a copy that fails after this many pages.
    public func limit(_ pages: Int) -> CursorPaging { CursorPaging(paging: paging.limit(pages)) }
}

extension Paging {
    /// Whether the pages are requested by a number, so that the backend may ignore it.
    var isCounted: Bool {
        switch way {
        case .number, .offset: true
        case .cursor, .links: false
        }
    }

    /// Whether the caller has said where the cursor or link is, so that other members are none.
    var isDeclared: Bool {
        switch way {
        case .cursor(.place, _), .cursor(.closure, _), .links(.some): true
        case .number, .offset, .cursor(.page, _), .links(nil): false
        }
    }

    /// The place of the cursor or link, if the caller has named one.
    var place: Place? {
        switch way {
        case .cursor(.place(let place), _), .links(let place?): place
        default: nil
        }
    }

    /// Returns the step that reads a member which this method does not read, or the steps that may help if there is none.
    func advice(_ next: PageStatements.Next?) -> String {
        guard let next else {
            return "The step is .cursor(\"place\", as: \"param\"), .cursor(as:) with a closure, .links(\"place\"), .number() or .offset()."
        }
        if next.isLink { return "Use by: \(next.isKnownLink ? ".links" : ".links(\"\(next.place)\")")." }
        if next.isKnownCursor, case .links = way { return "Use by: .cursor()." }
        return "Use by: .cursor(\"\(next.place)\", as: \"\(next.key)\"), with the param that the backend takes."
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
    /// The sequence ends at a page that states its end, is empty, or names no next page. It fails if a page says that there are more, and not where.
    /// It also fails if a page, a cursor or a link is repeated. Empty pages that name a next one are skipped.
    ///
    /// The `deadline(_:)` of the request limits the whole loop, with all calls and the time between them. Leaving the loop or cancelling its task
    /// stops the requests. Links to another origin are refused.
    public func pages<Item: Decodable & Sendable>(of type: Item.Type, by paging: Paging = .number()) -> Pages<Item> {
        Pages(request: self, paging: paging)
    }

    /// Returns the pages of a list whose cursor a closure makes of the page before. See ``pages(of:by:)-(_,Paging)``.
    public func pages<Item: Decodable & Sendable>(of type: Item.Type, by paging: CursorPaging<Item>) -> Pages<Item> {
        Pages(request: self, paging: paging.paging)
    }
}

/// The pages of a list, loaded one by one. See ``Request/pages(of:by:)-(_,Paging)``.
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
            while let request = walk.nextRequest {
                do {
                    let run = CallRun(request)
                    let target = walk.target(Page<Item>.self, of: run)
                    let page: Page<Item>
                    (page, walk) = try await run.promise { try await run.value(target) }.result.get()
                    if request.origin == nil { walk.bind(to: CallOrigin(after: run, isOneTask: false)) }
                    if let gap = walk.gap { run.client.report(gap: gap, of: request, isCounted: walk.isCounted) }
                    if !walk.isBlank(page) { return page }
                } catch {
                    defer { walk.end() }
                    throw walk.late(error)
                }
            }
            return nil
        }
    }
}

extension PageWalk {
    /// Returns the error of a page, which says how far the loop has come if it is that of the deadline.
    fileprivate func late(_ error: any Error) -> any Error {
        guard var error = error as? APIError, case .call(let deadline)? = error.limit?.limit else { return error }
        error.message = "The list reached its deadline of \(deadline) after \(pageCount) pages with \(itemCount) items."
        return error
    }
}

extension Request {
    /// Returns the items of a list. Each page is requested when the items before it have been consumed.
    ///
    /// ```swift
    /// for try await user in API.tag(.forum).get("/users").params(["size": 50]).items(of: User.self) { show(user) }
    /// ```
    ///
    /// The rules of `pages(of:by:)` apply to the end of the sequence, errors and cancellation.
    public func items<Item: Decodable & Sendable>(of type: Item.Type, by paging: Paging = .number()) -> Items<Item> {
        Items(pages: pages(of: type, by: paging))
    }

    /// Returns the items of a list whose cursor a closure makes of the page before.
    ///
    /// ```swift
    /// for try await charge in API.tag(.payments).get("/charges")
    ///     .items(of: Charge.self, by: .cursor(as: "starting_after") { page in page.items.last?.id }) { show(charge) }
    /// ```
    public func items<Item: Decodable & Sendable>(of type: Item.Type, by paging: CursorPaging<Item>) -> Items<Item> {
        Items(pages: pages(of: type, by: paging))
    }
}

/// The items of a list, loaded page by page. See ``Request/items(of:by:)-(_,Paging)``.
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
