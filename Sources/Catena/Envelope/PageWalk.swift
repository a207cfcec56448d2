import Foundation

/// Where a walk through the pages of a list stands: what to ask for next, and when to stop. Pure.
struct PageWalk: Sendable {
    private let base: Request
    private let paging: Paging
    private var next: Request?
    private var pageCount = 0
    private var itemCount = 0
    private var number: Int
    /// Cursors and links that have been followed.
    private var visited: Set<String> = []
    private var lastBody: Data?
    /// Whom the first request asked; what the call carries is for nobody else, wherever a redirect has led.
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

    func nextRequest() throws -> Request? {
        guard next == nil || pageCount < paging.pageLimit else {
            throw APIError(.business, message: "pages: the list has more than \(paging.pageLimit) pages.")
        }
        return next
    }

    /// An empty page after others is no page, only their end.
    func isPastEnd<Item>(_ page: Page<Item>) -> Bool {
        page.items.isEmpty && pageCount > 1
    }

    /// Takes note of a page, and of what leads on from it.
    mutating func note<Item>(_ response: Response<Page<Item>>) throws {
        let page = response.value
        if !page.items.isEmpty, response.body == lastBody {
            throw APIError(
                .business,
                message: "pages: page \(pageCount + 1) is the same as the one before; the backend does not heed what asks for it.",
                status: response.status)
        }
        lastBody = response.body
        home = home ?? response.askedOrigin
        pageCount += 1
        itemCount += page.items.count
        next = nil
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
            guard let link = page.nextLink ?? Self.link(of: response), visited.insert(link).inserted else { return }
            next = try request(at: link, from: response.url)
        }
    }

    /// The link has all that the first request asked for.
    private func request(at link: String, from url: URL) throws -> Request {
        let target: HTTPAddress
        let origin: String
        do throws(HTTPAddress.Fault) {
            let address = try HTTPAddress(parsing: url.absoluteString)
            origin = address.origin
            target = try address.resolving(link)
        } catch {
            throw APIError(.redirect, message: "pages: the link to the next page cannot be used: \(error.reason).")
        }
        guard target.origin == home ?? origin else {
            throw APIError(.redirect, message: "pages: the link to the next page leads to another origin, \(target.origin).")
        }
        var request = base
        request.params = Params()
        request.query = Params()
        return request.absoluteURL(target.text)
    }

    /// The link beside the payload, or in the header.
    private static func link<Value>(of response: Response<Value>) -> String? {
        let links = response.extras["links"]
        return links?.next.string ?? links?.next.href.string ?? LinkHeader.next(in: response.headers.values(for: "Link"))
    }
}

/// `Link: <https://…>; rel="next"` (RFC 8288 §3).
enum LinkHeader {
    static func next(in values: [String]) -> String? {
        for value in values {
            var rest = value[...]
            // A comma may stand in an address, so that a header is not simply split at commas.
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
