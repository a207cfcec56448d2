import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// The behaviour that a team relies on after a library of chains.
@Suite("Statements 1 to 7: the chain", .limitedParallelism)
struct ChainStatementTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.onDiagnostic { _ in }
    }

    @Test("1: a chain of host, method, path, params, headers and execute returns a promise, whose then and catch run on the main queue")
    func chain() async throws {
        stubs.put("https://forum.example.com/api/users").sequence(.reply(data: ["name": "Ann"]), .reply(code: 7, message: "no"))
        let told = Recorder<String>()
        for _ in 0..<2 {
            _ = await client.host("https://forum.example.com/api").method(.put).path("/users").params(["id": 7]).headers(["X-App": "1"])
                .execute()
                .then { answer in
                    DispatchQueue.main.assertIsCurrent()
                    told.note("then \(answer.name.string ?? "")")
                }
                .catch { error in
                    DispatchQueue.main.assertIsCurrent()
                    told.note("catch \(error.code) \(error.message)")
                }
                .result
        }
        #expect(told.events == ["then Ann", "catch 7 no"])
        try stubs.expect(.put, "/api/users").json(["id": 7]).header("X-App", "1").times(2)
    }

    @Test("2: an error has a code and a message, which may be empty", arguments: ["", "closed"])
    func error(message: String) async throws {
        stubs.get("/a").reply(json: ["code": 10086, "msg": JSON(stringLiteral: message)])
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(error?.code == 10086)
        #expect(error?.message == message)
        stubs.get("/b").reply(json: ["code": 10086])
        #expect(await #expect(throws: APIError.self) { try await client.get("/b").value() }?.message.isEmpty == true)
    }

    @Test(
        "3: code, message and data are found under each of their names; 0 and 200 are success, and 110 is a timeout",
        arguments: ["errcode", "code", "errorno", "errCode"])
    func envelope(codeKey: String) async throws {
        for messageKey in ["errmsg", "msg", "errormsg", "errMsg"] {
            for dataKey in ["data", "ret"] {
                stubs.get("/a").sequence(
                    .json([codeKey: 0, messageKey: "ok", dataKey: [1, 2]] as JSON),
                    .json([codeKey: 200, messageKey: "ok", dataKey: [3]] as JSON),
                    .json([codeKey: "0", dataKey: [4]] as JSON), .json([codeKey: 5, messageKey: "closed", dataKey: [5]] as JSON))
                var payloads: [[Int]] = []
                for _ in 0..<3 { payloads.append(try await client.get("/a").value(as: [Int].self)) }
                #expect(payloads == [[1, 2], [3], [4]])
                let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
                #expect(error?.code == 5 && error?.message == "closed")
            }
        }
        stubs.get("/slow").reply(.timeout)
        #expect(await #expect(throws: APIError.self) { try await client.get("/slow").value() }?.code == 110)
    }

    @Test("4: common params and headers are closures, which are configured once and run before every request")
    func closures() async throws {
        let params = Counter()
        let headers = Counter()
        client.commonParams { _ in
            params.increment()
            return ["time": params.count]
        }
        client.commonHeaders { _ in
            headers.increment()
            return ["X-Nonce": "n\(headers.count)"]
        }
        stubs.get("/a").reply(data: 1)
        let request = client.get("/a").params(["page": 1])
        for _ in 0..<3 { _ = try await request.value() }
        #expect(stubs.requests.map { $0.query("time") } == ["1", "2", "3"])
        #expect(stubs.requests.map { $0.headers["X-Nonce"] } == ["n1", "n2", "n3"])
        #expect(stubs.requests.allSatisfy { $0.query("page") == "1" })
    }

    @Test(
        "5: common params go to the query with every method, or, if the call says so, to the place of its own params",
        arguments: [.get, .head, .delete, .post, .put, .patch] as [HTTPMethod])
    func usage(method: HTTPMethod) async throws {
        client.commonParams { _ in ["v": 3] }
        let request = client.path("/a").method(method).params(["page": 1])
        let putsParamsInQuery = [.get, .head, .delete].contains(method)
        let standard = try await request.preview()
        #expect(standard.address.query?.contains("v=3") == true)
        #expect(standard.sentBody == (putsParamsInQuery ? nil : #"{"page":1}"#))
        let merged = try await request.commonParams(.merged).preview()
        #expect(merged.address.query == (putsParamsInQuery ? "v=3&page=1" : nil))
        #expect(merged.sentBody == (putsParamsInQuery ? nil : #"{"v":3,"page":1}"#))
        let none = try await request.commonParams(.none).preview()
        #expect("\(none.address.text) \(none.sentBody ?? "")".contains("v") == false)
    }

    @Test("6: common headers are merged with those of the call, which win")
    func headers() async throws {
        client.commonHeaders { _ in ["X-Common": "c", "x-both": "c", "X-Left-Out": nil] }
        let sent = try await client.get("/a").header("X-Own", "o").header("X-Both", "o").preview().headers
        #expect(["X-Common", "X-Own", "X-Both", "X-Left-Out"].map { sent[$0] } == ["c", "o", "o", nil])
        #expect(sent.fields.filter { $0.name.lowercased() == "x-both" }.count == 1)
        #expect(try await client.get("/a").commonHeaders(.none).preview().headers["X-Common"] == nil)
    }

    private enum ForumAPI {
        static func base(_ client: Client) -> Request { client.tag("forum").host("https://forum.example.com") }
    }

    private enum WalletAPI {
        static func base(_ client: Client) -> Request { client.tag("wallet").host("https://wallet.example.com") }
    }

    @Test("7: both closures receive the tag of the call, or nil; each subsystem has a builder with its tag and host")
    func tags() async throws {
        client.commonParams { tag in ["t": tag?.name ?? "none"] }
        client.commonHeaders { tag in ["X-Tag": tag?.name ?? "none"] }
        let sent = [
            try await ForumAPI.base(client).get("/a").preview(), try await WalletAPI.base(client).get("/a").preview(),
            try await client.get("/a").preview(),
        ]
        #expect(
            sent.map(\.address.text)
                == ["https://forum.example.com/a?t=forum", "https://wallet.example.com/a?t=wallet", "https://stubs.test/a?t=none"])
        #expect(sent.map { $0.headers["X-Tag"] } == ["forum", "wallet", "none"])
    }
}

extension DispatchQueue {
    /// Fails the test unless the caller runs on this queue.
    fileprivate func assertIsCurrent(sourceLocation: SourceLocation = #_sourceLocation) {
        setSpecific(key: Self.mark, value: ObjectIdentifier(self))
        #expect(DispatchQueue.getSpecific(key: Self.mark) == ObjectIdentifier(self), sourceLocation: sourceLocation)
    }

    private static let mark = DispatchSpecificKey<ObjectIdentifier>()
}
