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
    /// The cursors and links that have been followed.
    private var visited: Set<String> = []
    private var lastBody: Data?
    /// The reason why items are missing, or `nil` if none are known to be missing.
    private(set) var gap: String?
    /// The origin of the first request. Links to other origins are refused, because the call's headers and params are meant for this origin only.
    private var home: String?

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
            try walk.note(page, of: reading, from: history.request?.address.origin)
            return (page, walk)
        }
    }

    /// Whether an empty page only marks the end of the list.
    func isPastEnd<Item>(_ page: Page<Item>) -> Bool {
        page.items.isEmpty && pageCount > 1
    }

    /// Records a page and determines the next request.
    ///
    /// - Parameter origin: The origin that was asked for the page.
    private mutating func note<Item>(_ page: Page<Item>, of reading: EnvelopeResult, from origin: String?) throws {
        let body = reading.response.body
        if !page.items.isEmpty, body == lastBody {
            throw reading.failure(
                .protocolViolation,
                "pages: page \(pageCount + 1) is the same as the one before; the backend does not heed what asks for it.")
        }
        lastBody = body
        home = home ?? origin
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
        switch paging.way {
        case .number(let name, let first):
            if let count = page.pageCount, number - first + 1 >= count { return }
            if let total = page.total, itemCount >= total { return }
            number += 1
            next = base.param(name, number)
        case .offset(let name):
            if let total = page.total, itemCount >= total { return }
            next = base.param(name, itemCount)
        case .cursor(let name):
            guard let cursor = page.nextCursor, visited.insert(cursor).inserted else { return }
            next = base.param(name, cursor)
        case .links:
            guard let link = page.nextLink ?? Self.link(of: reading), visited.insert(link).inserted else { return }
            next = try request(at: link, of: reading)
        }
    }

    /// Creates the request for a link. The link contains all params, so those of the base request are removed.
    private func request(at link: String, of reading: EnvelopeResult) throws -> Request {
        let address = reading.response.address
        let target: HTTPAddress
        do throws(HTTPAddress.Fault) {
            target = try address.resolving(link)
        } catch {
            throw reading.failure(.redirect, "pages: the link to the next page cannot be used: \(error.reason).")
        }
        guard target.origin == home ?? address.origin else {
            throw reading.failure(.redirect, "pages: the link to the next page leads to another origin, \(target.origin).")
        }
        var request = base
        request.params = Params()
        request.query = Params()
        return request.absoluteURL(target.text)
    }

    /// Returns the link beside the payload or in the `Link` header.
    private static func link(of reading: EnvelopeResult) -> String? {
        let links = reading.extras["links"]
        return links?.next.string ?? links?.next.href.string ?? LinkHeader.next(in: reading.response.headers.values(for: "Link"))
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
