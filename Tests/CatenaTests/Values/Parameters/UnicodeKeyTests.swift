import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Keys that differ only in how a letter is composed", .limitedParallelism)
struct UnicodeKeyTests {
    private static let object = try? JSON(parsing: Data("{\"caf\u{E9}\":1,\"cafe\u{301}\":2}".utf8))

    @Test(
        "each member of a JSON value is sent",
        arguments: [
            { $0.json($1) }, { $0.params(JSONMembers.of($1)) }, { $0.json(["inner": $1] as Params) },
        ] as [@Sendable (Request, JSON) -> Request])
    func json(_ add: @Sendable (Request, JSON) -> Request) async throws {
        let object = try #require(Self.object)
        let request = add(Client(transport: ClosureTransport { _ in .status(200) }).host("https://forum.test").post("/a"), object)
        let body = String(decoding: try await request.preview().body ?? Data(), as: UTF8.self)
        #expect(body.utf8.count(where: { $0 == UInt8(ascii: ":") }) >= 2)
        #expect(body.contains(":1") && body.contains(":2"))
    }

    @Test("params keep both, whatever their number", arguments: [0, 40])
    func params(others: Int) {
        var params = Params()
        for number in 0..<others { params["k\(number)"] = number }
        params["caf\u{E9}"] = 1
        params["cafe\u{301}"] = 2
        #expect(params.count == others + 2)
        #expect(params["caf\u{E9}"]?.parameterNode == .integer(1) && params["cafe\u{301}"]?.parameterNode == .integer(2))
        params.remove("cafe\u{301}")
        #expect(params.contains("caf\u{E9}") && !params.contains("cafe\u{301}"))
    }
}

private enum JSONMembers {
    static func of(_ value: JSON) -> Params {
        if case .object(let members) = value.parameterNode { members } else { [:] }
    }
}
