import CatenaPlatform

/// The state of iterating over the pages of a list: the next request, and whether to stop. It has no side effects.
struct PageWalk: Sendable {
    /// The number of consecutive empty pages after which a list counts as endless.
    private static let emptyLimit = 10

    private var base: Request
    private let paging: Paging
    private var next: Request?
    private(set) var pageCount = 0
    private(set) var itemCount = 0
    private var emptyCount = 0
    /// The total of the last page that named one.
    private var total: Int?
    /// The page number or offset of the current page.
    private var position: Int
    /// The page number or offset of the first page.
    private let start: Int
    /// Whether the call itself says where the list begins.
    private let hasOwnStart: Bool
    /// The cursors and the addresses of links that have been followed, and those of the first page.
    private var visited: Set<String> = []
    private var lastContent: Data?
    /// The reason why items are missing, or `nil` if none are known to be missing.
    private(set) var gap: String?
    /// The origin of the first request. Links to other origins are refused, because the call's headers and params are meant for this origin only.
    private var home: String?
    /// The way that an interceptor has led the request of the current page, or `nil` if it went where the call says.
    private var detour: Detour?

    init(_ request: Request, _ paging: Paging) {
        base = request
        self.paging = paging
        switch paging.way {
        case .number(let name, let first), .offset(let name, let first):
            let own = request.ownParam(name)
            start = own.flatMap { Int($0) } ?? first
            hasOwnStart = own != nil
            next = hasOwnStart ? request : request.param(name, start)
            if let own, Int(own) == nil, next?.fault == nil {
                next?.fault = APIError.invalid("pages", "the list begins at the call's own \(name), which is no number but \"\(own)\"")
            }
        case .cursor(_, let name):
            let own = request.ownParam(name)
            (start, hasOwnStart, next) = (0, own != nil, request)
            if let own { visited.insert(own) }
        case .links:
            (start, hasOwnStart, next) = (0, false, request)
        }
        position = start
    }

    mutating func end() {
        next = nil
    }

    /// Binds the requests that follow to the identity and the deadline of the first one.
    mutating func bind(to origin: CallOrigin) {
        base.origin = origin
        next?.origin = origin
    }

    /// The request for the next page. It fails unsent if the page limit is exceeded.
    var nextRequest: Request? {
        guard pageCount >= paging.pageLimit else { return next }
        var request = next
        request?.fault = APIError(.business, message: "pages: the list has more than \(paging.pageLimit) pages.")
        return request
    }

    /// Returns a decoder of the next page and of the state after it. An unusable link fails the page's call.
    func target<Item: Decodable & Sendable>(_ type: Page<Item>.Type, of run: CallRun) -> ResultDecoder<(Page<Item>, PageWalk)> {
        let page = ResultDecoder<Page<Item>>.decodable(type)
        return ResultDecoder(decoded: type) { reading, decoder in
            let page = try page.value(reading, decoder)
            var walk = self
            walk.noteOrigin(run.history)
            try walk.note(page, of: reading)
            return (page, walk)
        }
    }

    /// Whether a page has nothing for the loop: it is empty, and not the first one.
    func isBlank<Item>(_ page: Page<Item>) -> Bool {
        page.items.isEmpty && pageCount > 1
    }

    /// Whether the pages are requested by a number.
    var isCounted: Bool { paging.isCounted }

    /// Whether another page follows.
    var goesOn: Bool { next != nil }

    private mutating func noteOrigin(_ history: borrowing AttemptHistory) {
        let sent = history.request?.address
        let assembled = history.movedFrom ?? sent
        home = home ?? assembled?.origin
        detour = sent.flatMap { sent in history.movedFrom.map { Detour(from: $0, to: sent) } }
    }

    /// Records a page and determines the next request.
    private mutating func note<Item: Decodable & Sendable>(_ page: Page<Item>, of reading: EnvelopeResult) throws {
        let content = paging.isCounted ? reading.pageContent : reading.response.body
        if !page.items.isEmpty, content == lastContent {
            let advice =
                page.nextCursor != nil
                ? " The page has a cursor: by: .cursor()."
                : page.nextLink.map { link in
                    link.contains("/") || link.hasPrefix("?")
                        ? " The page has a link: by: .links." : " The page has something at \"next\": by: .cursor(\"next\", as: …)."
                } ?? ""
            throw reading.failure(
                .protocolViolation,
                "pages: page \(pageCount + 1) is the same as the one before; the backend does not heed what asks for it.\(advice)")
        }
        lastContent = content
        pageCount += 1
        itemCount += page.items.count
        emptyCount = page.items.isEmpty ? emptyCount + 1 : 0
        next = nil
        try follow(page, of: reading)
        if next != nil, emptyCount >= Self.emptyLimit {
            throw reading.failure(
                .protocolViolation, "pages: \(emptyCount) empty pages in a row say that there are more; the list counts as endless.")
        }
        // A caller may start at a later page, whose skipped items are not missing.
        guard gap == nil, !paging.isCounted || start <= 1, !hasOwnStart else { return }
        if pageCount == 1 { gap = page.skippedItems(askedFor: firstNumber) }
        // The statement that there are no more pages is newer than an earlier total.
        total = page.total ?? (page.hasMore == false ? nil : total)
        if gap == nil, next == nil, let total, itemCount < total { gap = "they end after \(itemCount) of \(total) items" }
    }

    /// The number of the first page, if pages are numbered.
    private var firstNumber: Int? {
        if case .number = paging.way { start } else { nil }
    }

    /// Determines the request for the page after this one.
    private mutating func follow<Item: Decodable & Sendable>(_ page: Page<Item>, of reading: EnvelopeResult) throws {
        if page.hasMore == false { return }
        switch paging.way {
        case .number(let name, let first):
            guard try !isEnd(page, of: reading, isPastCount: page.pageCount.map { position - min(start, first) + 1 == $0 } == true) else {
                return
            }
            position += 1
            next = base.settingParam(name, position)
        case .offset(let name, _):
            guard try !isEnd(page, of: reading, isPastCount: false) else { return }
            if page.items.isEmpty {
                guard let size = page.size, size > 0 else {
                    throw reading.failure(
                        .protocolViolation,
                        "pages: an empty page says that there are more, and not how many items it skips; use .number() or .cursor().")
                }
                position += size
            } else {
                position += page.items.count
            }
            next = base.settingParam(name, position)
        case .cursor(let source, let name):
            let statements = Lazy { PageStatements(reading) }
            let cursor = try self.cursor(source, of: page, reading, statements)
            guard let cursor else { return try end(page, of: reading, statements.value) }
            guard visited.insert(cursor.text).inserted else {
                throw reading.failure(
                    .protocolViolation,
                    "pages: page \(pageCount) has a cursor that has been used before, so that its items would come again. "
                        + "If that is the end, say so: by: .cursor(as: \"\(name)\") { page in … }, which returns nil there.")
            }
            next = base.settingParam(name, cursor.value)
        case .links(let place):
            let statements = Lazy { PageStatements(reading) }
            let link: String?
            if let place {
                link = try reading.value(at: place.path()).flatMap { try text($0, at: place.text, of: reading) }
            } else {
                link = page.nextLink ?? LinkHeader.next(in: reading.response.headers.values(for: "Link")) ?? statements.value.link
            }
            guard let link else { return try end(page, of: reading, statements.value) }
            let target = try target(of: link, of: reading)
            if pageCount == 1 { visited.insert(atHome(reading.response.address).text) }
            guard visited.insert(target.text).inserted else {
                throw reading.failure(
                    .protocolViolation,
                    "pages: page \(pageCount) has a link that has been followed before, so that its items would come again.")
            }
            // The link contains all params, so those of the base request are removed.
            var request = base
            request.params = Params()
            request.query = Params()
            next = request.absoluteURL(target.text)
        }
    }

    /// Whether a counted list ends with this page: it is empty, or reaches the total or the number of pages.
    ///
    /// A page that says that there are more counts for more than its numbers, because a total may be that of the page, or capped. A total below what
    /// has come counts something else.
    private func isEnd<Item>(_ page: Page<Item>, of reading: EnvelopeResult, isPastCount: Bool) throws -> Bool {
        let come = if case .offset(_, let first) = paging.way { position - first + page.items.count } else { itemCount }
        guard page.items.isEmpty || isPastCount || page.total == come else { return false }
        return (page.hasMore ?? PageStatements(reading).statement?.hasMore) != true
    }

    /// Returns the cursor of the next page, as text and as it is sent, or `nil` if there is none.
    private func cursor<Item: Decodable & Sendable>(
        _ source: Paging.CursorSource, of page: Page<Item>, _ reading: EnvelopeResult, _ statements: Lazy<PageStatements>
    ) throws -> (text: String, value: any ParameterValue)? {
        var found: String?
        switch source {
        case .page: found = page.nextCursor ?? statements.value.cursor
        case .place(let place): found = try reading.value(at: place.path()).flatMap { try text($0, at: place.text, of: reading) }
        case .closure(let closure):
            guard let value = closure(page), value.parameterNode != .null else { return nil }
            return ("\(value.parameterNode)", value)
        }
        guard let found else { return nil }
        if found == "0", (page.hasMore ?? statements.value.statement?.hasMore) != true { return nil }
        return (found, found)
    }

    /// Returns the cursor or link at a place that the call names, or `nil` if there is none.
    private func text(_ value: JSON, at place: String, of reading: EnvelopeResult) throws -> String? {
        if let cursor = value.cursor { return cursor }
        guard value.isNull || value.bool == false || value.string == "" else {
            throw reading.failure(.protocolViolation, "pages: the value at \(place) leads to no page: it is neither a text nor a number.")
        }
        return nil
    }

    /// Ends a list whose page has no cursor or link.
    ///
    /// - Throws: An error if the page says that there are more, because the list would end without them.
    private mutating func end<Item>(_ page: Page<Item>, of reading: EnvelopeResult, _ statements: PageStatements) throws {
        let hasMore = page.hasMore ?? statements.statement?.hasMore
        if hasMore == false { return }
        // Once a list has been led on, the absence of a cursor or link is its end. A call that begins at a cursor has been led on by another.
        let isFirst = pageCount == 1 && !hasOwnStart
        let unread = isFirst || hasMore == true ? statements.nexts : []
        let isShort =
            isFirst && !statements.hasOtherLinks && reading.response.headers["Link"] == nil && page.total.map { itemCount < $0 } == true
        guard hasMore == true || isFirst && !unread.isEmpty && !paging.isDeclared || isShort && !paging.isDeclared else {
            if isFirst, let place = paging.place, let next = unread.first, try reading.value(at: place.path()) == nil {
                gap = "the first page has nothing at \"\(place.text)\", and something at \"\(next.place)\""
            }
            return
        }
        var said: [String] = []
        if hasMore == true { said.append(statements.statement?.text ?? "that there are more") }
        if let next = unread.first { said.append("\"\(next.place)\"") }
        if said.isEmpty { said.append("\(itemCount) of \(page.total ?? 0) items") }
        let what = if case .links = paging.way { "link" } else { "cursor" }
        throw reading.failure(
            .protocolViolation,
            "pages: the page has \(said.joined(separator: " and ")), but no \(what) where it is looked for; the list would end after "
                + "\(itemCount) items. \(paging.advice(unread.first))")
    }

    /// Resolves a link against the address of its page.
    private func target(of link: String, of reading: EnvelopeResult) throws -> HTTPAddress {
        let address = reading.response.address
        let target: HTTPAddress
        do throws(HTTPAddress.Fault) {
            target = try address.resolving(link)
        } catch {
            throw reading.failure(.redirect, "pages: the link to the next page cannot be used: \(error.reason).")
        }
        let ofBackend = atHome(target)
        guard ofBackend.origin == home ?? address.origin else {
            throw reading.failure(.redirect, "pages: the link to the next page leads to another origin, \(target.origin).")
        }
        return ofBackend
    }

    /// Returns the address of the backend for one at which an interceptor has reached it. The interceptors of the next page rewrite it again.
    private func atHome(_ address: HTTPAddress) -> HTTPAddress { detour.map { $0.back(address) } ?? address }
}

/// A value that is computed when it is first needed.
private final class Lazy<Value> {
    private let make: () -> Value
    private(set) lazy var value = make()

    init(_ make: @escaping () -> Value) {
        self.make = make
    }
}

extension EnvelopeResult {
    /// The part of the response that consists of the page, without members that differ with each response, such as the id of a request.
    fileprivate var pageContent: Data { contents.guess?.payload.map { text.bytes(in: $0) } ?? payloadBytes ?? response.body }
}

/// A change of an address that an interceptor has made, such as to that of a gateway.
private struct Detour: Sendable {
    let from: HTTPAddress
    let to: HTTPAddress

    /// Returns an address before the change, or the address itself if it is elsewhere.
    func back(_ address: HTTPAddress) -> HTTPAddress {
        guard address.place == to.place, to.path.hasSuffix(from.path) else { return address }
        let prefix = to.path.dropLast(from.path.count)
        guard address.path.hasPrefix(prefix) else { return address }
        let path = address.path.dropFirst(prefix.count)
        return HTTPAddress(place: from.place, path: path.hasPrefix("/") ? String(path) : "/" + path, query: address.query)
    }
}

extension Page {
    /// Returns the evidence that the list has items before this first page, or `nil` if there is none.
    ///
    /// - Parameter number: The requested page number, if pages are numbered.
    fileprivate func skippedItems(askedFor number: Int?) -> String? {
        if isFirst == false { return "it says first: false" }
        if let asked = number, let number = self.number, number > asked { return "it says number \(number)" }
        if let offset, offset > 0 { return "it says offset \(offset)" }
        return nil
    }
}

/// Parses the header `Link: <https://…>; rel="next"` (RFC 8288 §3).
enum LinkHeader {
    static func next(in values: [String]) -> String? {
        for value in values {
            var rest = value[...]
            // Do not split at commas, because URLs may contain them.
            while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
                let target = rest[rest.index(after: open)..<close]
                let parameters = rest[close...].dropFirst().prefix { $0 != "<" }
                rest = rest[parameters.endIndex...]
                if parameters.split(separator: ";").contains(where: isNext) { return String(target) }
            }
        }
        return nil
    }

    private static func isNext(_ parameter: Substring) -> Bool {
        let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmed(of: " \t,") }
        guard parts.count == 2, parts[0].lowercased() == "rel" else { return false }
        let relations = parts[1].trimmed(of: "\"").lowercased().split(separator: " ")
        return relations.contains("next")
    }
}
