import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

/// A list of the servers of a ``PropertyWorld``. Its pages are the same for each call, so that the test knows its items and its end.
enum PropertyList: String, CaseIterable, Sendable {
    /// The last page says that it is the last one.
    case ends
    /// The last page has no cursor.
    case stops
    /// The page in the middle is empty, and has a cursor.
    case skips
    /// The pages are numbered, and the total grows after the first one.
    case grows
    /// The last page says that there are more, and has no cursor.
    case hides
    /// The last page has the cursor of an earlier one.
    case repeats
    /// Each page after the first is empty, and has a new cursor.
    case empties
    /// The server ignores the number of the page.
    case stays

    private static let last = 3

    init?(path: String) {
        guard path.hasPrefix("/list-") else { return nil }
        self.init(rawValue: String(path.dropFirst("/list-".count)))
    }

    var path: String { "/list-\(rawValue)" }

    /// The page limit ends a list for which the library misses its rule, so that the test can report it.
    var paging: Paging { (self == .grows || self == .stays ? Paging.number() : .cursor()).limit(30) }

    /// Whether the loop must fail, because the server says no end.
    var hasNoEnd: Bool { [.hides, .repeats, .empties, .stays].contains(self) }

    /// The number of items before the end, or before the page that fails.
    var count: Int {
        switch self {
        case .ends, .stops, .grows: 6
        case .skips, .hides, .repeats: 4
        case .empties, .stays: 2
        }
    }

    /// Returns the number of items on the pages before this one.
    func count(before page: Int) -> Int { (1..<max(page, 1)).reduce(0) { $0 + numbers(on: $1).count } }

    private func numbers(on page: Int) -> [Int] {
        switch self {
        case .empties where page > 1, .skips where page == 2: []
        case .skips where page > 2: [3, 4]
        case .stays: [1, 2]
        default: [2 * page - 1, 2 * page]
        }
    }

    /// The members beside the items.
    private func statements(of page: Int) -> String {
        let next = #""next_cursor":"\#(page + 1)""#
        switch self {
        case .ends: return page < Self.last ? next + #","has_more":true"# : #""next_cursor":null,"has_more":false"#
        case .stops, .skips: return page < Self.last ? next : #""size":2"#
        case .grows: return #""total":\#(page == 1 ? 4 : 6)"#
        case .hides: return (page < Self.last ? next + "," : "") + #""has_more":true"#
        case .repeats: return page < Self.last ? next : #""next_cursor":"2""#
        case .empties: return next
        case .stays: return #""size":2"#
        }
    }

    /// Returns the body of a page. Its first item names the request, except in a list whose pages must be equal.
    func body(of page: Int, _ reply: PropertyReply) -> Data {
        let items = numbers(on: page).enumerated().map { place, number in
            place == 0 && self != .stays ? #"{"number":\#(number),"reply":\#(reply.text)}"# : #"{"number":\#(number)}"#
        }
        return Data(#"{"code":0,"data":{"items":[\#(items.joined(separator: ","))],\#(statements(of: page))}}"#.utf8)
    }

    /// Returns the part of a query that names a page, or `nil` for the first page of a list with cursors.
    static func position(in address: HTTPAddress) -> String? {
        address.query?.split(separator: "&").first { $0.hasPrefix("cursor=") || $0.hasPrefix("page=") }.map(String.init)
    }

    /// Returns the number of the page that an address names.
    static func page(in address: HTTPAddress) -> Int {
        position(in: address)?.split(separator: "=").last.flatMap { Int($0) } ?? 1
    }
}

/// An item of a ``PropertyList``.
struct PropertyItem: Decodable, Sendable {
    /// The number of the item, counted from 1.
    let number: Int
    let reply: PropertyReply?
}

// Lists of several pages, and their invariants.
extension PropertyWorld {
    func readList(_ number: Int, _ request: Request) {
        guard let list = record(number)?.list else { return }
        let (limit, isByItem) = (draw(4) == 0 ? 1 + draw(5) : Int.max, draw(2) == 0)
        run(number) { [self] in
            let isAtEnd =
                isByItem
                ? try await items(number, request, list, atMost: limit) : try await pages(number, request, list, atMost: limit)
            guard isAtEnd, let record = record(number) else { return nil }
            if list.hasNoEnd { violate("list \(number) ends after \(record.given) items, although its server says no end") }
            if record.given != list.count { violate("list \(number) ends after \(record.given) of \(list.count) items") }
            meet(.listEnded)
            return nil
        }
    }

    // Functions, so that a loop and its call have ended when they return.

    private func items(_ number: Int, _ request: Request, _ list: PropertyList, atMost limit: Int) async throws -> Bool {
        for try await item in request.items(of: PropertyItem.self, by: list.paging) {
            see(item, of: number, list)
            if item.number >= limit { return false }
        }
        return true
    }

    private func pages(_ number: Int, _ request: Request, _ list: PropertyList, atMost limit: Int) async throws -> Bool {
        for try await page in request.pages(of: PropertyItem.self, by: list.paging) {
            for item in page.items { see(item, of: number, list) }
            if let last = page.items.last, last.number >= limit { return false }
        }
        return true
    }

    private func see(_ item: PropertyItem, of number: Int, _ list: PropertyList) {
        guard let record = record(number) else { return }
        if item.number != record.given + 1 { violate("list \(number) gives item \(item.number) after item \(record.given)") }
        if item.number > list.count { violate("list \(number) gives item \(item.number) of \(list.count)") }
        update(number) { $0.given = item.number }
        if !isCalm, draw(12) == 0 { signIn(to: record.backend) }
        guard let reply = item.reply else { return }
        check(reply, for: record)
        // The first page decides whose list it is, also if it comes from the cache.
        guard record.caller == .open, reply.isServers, !reply.isElsewhere else { return }
        update(number) { $0.caller = PropertyMember(token: reply.token).map { .member($0) } ?? .nobody }
    }

    /// Checks that the request of a page comes after the items before it.
    func checkPage(_ request: HTTPRequest, of record: PropertyRecord) {
        guard let list = record.list else { return }
        let page = PropertyList.page(in: request.address)
        if !record.pages.contains(page), record.given < list.count(before: page) {
            violate("list \(record.number) requests page \(page) after \(record.given) items")
        }
        update(record.number) { $0.pages.insert(page) }
    }

    /// Notes how a list has failed, and checks that one with an end does not fail as if it had none.
    func checkListFailure(_ error: any Error, of record: PropertyRecord) {
        guard let list = record.list, let error = error as? APIError else { return }
        if error.kind == .missingCredential, record.given > 0 { meet(.listOfFormerUser) }
        guard error.message.contains("pages:") else { return }
        if !list.hasNoEnd { violate("list \(record.number) has an end, and fails: \(error.message)") }
        if error.kind != .protocolViolation { violate("list \(record.number) is found to have no end too late: \(error.message)") }
        meet(.listWithoutEnd)
    }
}
