import Foundation

/// The state of iterating over the pages of a list: the next request, and whether to stop. It has no side effects.
struct PageWalk: Sendable {
    private let base: Request
    private let paging: Paging
    private var next: Request?
    private var pageCount = 0
    private var itemCount = 0
    /// The total of the last page that named one.
    private var total: Int?
    private var number: Int
    /// The cursors and the addresses of links that have been followed, and those of the first page.
    private var visited: Set<String> = []
    private var lastBody: Data?
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
        case .number(let name, let first):
            number = first
            next = request.param(name, first)
        case .offset(let name):
            number = 0
            next = request.param(name, 0)
        case .cursor, .links:
            number = 0
            next = request
        }
    }

    mutating func end() {
        next = nil
    }

    /// The request for the next page. It fails unsent if the page limit is exceeded.
    var nextRequest: Request? {
        guard pageCount >= paging.pageLimit else { return next }
        var request = next
        request?.fault = APIError(.business, message: "pages: the list has more than \(paging.pageLimit) pages.")
        return request
    }

    /// Returns a decoder of the next page and of the state after it. An unusable link fails the page's call.
    func target<Item: Decodable & Sendable>(_ type: Page<Item>.Type, history: AttemptHistory) -> ResultDecoder<(Page<Item>, PageWalk)> {
        let page = ResultDecoder<Page<Item>>.decodable(type)
        return ResultDecoder(decoded: type) { reading, decoder in
            let page = try page.value(reading, decoder)
            var walk = self
            walk.noteOrigin(history)
            try walk.note(page, of: reading)
            return (page, walk)
        }
    }

    /// Whether an empty page only marks the end of the list.
    func isPastEnd<Item>(_ page: Page<Item>) -> Bool {
        page.items.isEmpty && pageCount > 1
    }

    private mutating func noteOrigin(_ history: AttemptHistory) {
        let sent = history.request?.address
        let assembled = history.movedFrom ?? sent
        home = home ?? assembled?.origin
        detour = sent.flatMap { sent in history.movedFrom.map { Detour(from: $0, to: sent) } }
    }

    /// Records a page and determines the next request.
    private mutating func note<Item>(_ page: Page<Item>, of reading: EnvelopeResult) throws {
        let body = reading.response.body
        if !page.items.isEmpty, body == lastBody {
            throw reading.failure(
                .protocolViolation,
                "pages: page \(pageCount + 1) is the same as the one before; the backend does not heed what asks for it.")
        }
        lastBody = body
        pageCount += 1
        itemCount += page.items.count
        next = nil
        try follow(page, of: reading)
        // A caller may start at a later page, whose skipped items are not missing.
        guard gap == nil, firstNumber ?? 1 <= 1 else { return }
        if pageCount == 1 { gap = page.skippedItems(askedFor: firstNumber) }
        // The statement that there are no more pages is newer than an earlier total.
        total = page.total ?? (page.hasMore == false ? nil : total)
        if gap == nil, next == nil, let total, itemCount < total { gap = "they end after \(itemCount) of \(total) items" }
    }

    /// The number of the first page, if pages are numbered.
    private var firstNumber: Int? {
        if case .number(_, let first) = paging.way { first } else { nil }
    }

    /// Determines the request for the page after this one.
    private mutating func follow<Item>(_ page: Page<Item>, of reading: EnvelopeResult) throws {
        if page.items.isEmpty || page.hasMore == false { return }
        // A page that says that there are more counts for more than its numbers, because a total may be that of the page, or capped.
        let isPastTotal = page.hasMore != true && page.total.map { itemCount >= $0 } == true
        switch paging.way {
        case .number(let name, let first):
            let isPastCount = page.hasMore != true && page.pageCount.map { number - first + 1 >= $0 } == true
            if isPastTotal || isPastCount { return }
            number += 1
            next = base.param(name, number)
        case .offset(let name):
            if isPastTotal { return }
            next = base.param(name, itemCount)
        case .cursor(let name):
            if pageCount == 1, let first = base.cursor(name) { visited.insert(first) }
            guard let cursor = page.nextCursor, visited.insert(cursor).inserted else { return }
            next = base.param(name, cursor)
        case .links:
            guard let link = page.nextLink ?? Self.link(of: reading) else { return }
            let target = try target(of: link, of: reading)
            if pageCount == 1 { visited.insert(atHome(reading.response.address).text) }
            guard visited.insert(target.text).inserted else { return }
            // The link contains all params, so those of the base request are removed.
            var request = base
            request.params = Params()
            request.query = Params()
            next = request.absoluteURL(target.text)
        }
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

    /// Returns the link beside the payload or in the `Link` header.
    private static func link(of reading: EnvelopeResult) -> String? {
        let links = reading.extras["links"]
        return links?.next.string ?? links?.next.href.string ?? LinkHeader.next(in: reading.response.headers.values(for: "Link"))
    }
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

extension Request {
    /// The cursor with which the call asks for its first page, if any.
    fileprivate func cursor(_ name: String) -> String? {
        switch (params[name] ?? query[name])?.parameterNode {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }
}

extension Client {
    /// Reports that pages do not contain all items of a list, once per tag.
    func report(gap: String, of request: Request) {
        diagnostics.report(.incompleteList, once: .tag(request.tag)) {
            let path = request.location.shownPath ?? request.location.absolute ?? "a list"
            return "Of \(Redaction.standard.redact(place: path)) items are missing: \(gap). "
                + "A backend that counts its pages from zero is asked with by: .number(from: 0). It is said once for each tag."
        }
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
        let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t,")) }
        guard parts.count == 2, parts[0].lowercased() == "rel" else { return false }
        let relations = parts[1].trimmingCharacters(in: ["\""]).lowercased().split(separator: " ")
        return relations.contains("next")
    }
}
