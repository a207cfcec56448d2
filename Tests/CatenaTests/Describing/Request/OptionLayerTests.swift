import CatenaTesting
import Testing

@testable import Catena

@Suite("The options of a call", .limitedParallelism) struct OptionLayerTests {
    /// The layers that may set an option, and the value that counts.
    struct Case: Sendable, CustomTestStringConvertible {
        var call: Int?
        var tag: Int?
        var defaults: Int?
        var limit: Int

        var testDescription: String { "call \(call ?? -1), tag \(tag ?? -1), defaults \(defaults ?? -1): \(limit)" }
    }

    @Test(
        "the strongest layer that sets an option determines it, else the library does",
        arguments: [
            Case(call: 1, tag: 2, defaults: 3, limit: 1), Case(tag: 2, defaults: 3, limit: 2), Case(defaults: 3, limit: 3), Case(limit: 20),
            Case(call: 1, limit: 1), Case(tag: 2, limit: 2), Case(call: 1, defaults: 3, limit: 1),
        ])
    func precedence(row: Case) {
        let client = Client(testing: Stubs())
        client.configureDefaults { $0.redirectLimit = row.defaults }
        client.configure("forum") { $0.redirectLimit = row.tag }
        var request = client.tag("forum").get("/a")
        request.options[\.redirectLimit] = row.call
        #expect(CallRun(request).configuration.redirectLimit == row.limit)
        #expect(client.tag("forum").get("/a").explain().contains("redirects: up to \(row.tag ?? row.defaults ?? 20)"))
    }

    @Test("an option set to nil comes from a weaker layer again")
    func unset() {
        let client = Client(testing: Stubs())
        client.configure("forum") { forum in
            forum.deadline = .seconds(7)
            forum.retry = .exponential(limit: 4)
        }
        client.configure("forum") { forum in
            forum.deadline = nil
            forum.retry = nil
            #expect(forum.deadline == nil && forum.retry == nil)
        }
        let configuration = CallRun(client.tag("forum").get("/a").deadline(.seconds(9)).deadline(.seconds(8))).configuration
        #expect(configuration.deadline == .seconds(8) && configuration.retry == .never)
        #expect(CallRun(client.tag("forum").get("/a")).configuration.deadline == nil)
    }

    @Test("the rule of a call sets the options that the call does not")
    func rule() {
        var (own, rule) = (OptionLayer(), OptionLayer())
        own[\.cachePolicy] = .never
        rule[\.cachePolicy] = .always
        rule[\.isAuthenticated] = false
        let layer = own.over(rule)
        #expect(layer[\.cachePolicy] == .never && layer[\.isAuthenticated] == false && layer[\.deadline] == nil)
        #expect(own[\.isAuthenticated] == nil)
    }
}
