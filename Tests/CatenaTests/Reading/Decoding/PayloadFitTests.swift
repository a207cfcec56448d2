import CatenaTesting
import Foundation
import Testing

@testable import Catena

private struct User: Codable, Equatable, Sendable {
    var name: String
}

private struct Profile: Codable, Equatable, Sendable {
    var nickname: String?
    var level: Int?
}

/// A model of a whole envelope, as an app may declare it.
private struct Wrapped: Codable, Equatable, Sendable {
    var code: Int
    var data: User
}

private struct LooselyWrapped: Codable, Equatable, Sendable {
    var code: Int?
    var message: String?
    var data: Profile?
}

private struct Page: Codable, Equatable, Sendable {
    var data: [Int]
    var total: Int
}

private struct Rows: Codable, Equatable, Sendable {
    var data: [[String: Int]]
    var total: Int
}

private struct Member: Codable, Equatable, Sendable {
    var ok: Bool
    var nickname: String?
    var level: Int?
}

private struct Signed: Codable, Equatable, Sendable {
    var ok: Bool
    var values: [String: String]
}

private enum Choice: Codable, Equatable, Sendable {
    case left(Int)
    case right(String)
}

@Suite("Types that fit the payload or the whole body", .limitedParallelism)
struct PayloadFitTests {
    private func value<Value: Decodable & Sendable>(_ body: String, as type: Value.Type, _ envelope: Envelope = .standard) async throws
        -> Value
    {
        let client = Client(transport: ClosureTransport { _ in .json(body) })
        return try await client.absoluteURL("https://forum.example.com/x").envelope(envelope).value(as: type)
    }

    @Test("a type that fits the payload is decoded from the payload")
    func payload() async throws {
        #expect(try await value(#"{"code":0,"data":{"name":"a"},"name":"b"}"#, as: User.self) == User(name: "a"))
        #expect(try await value(#"{"data":{"nickname":"a"},"total":1}"#, as: Profile.self) == Profile(nickname: "a"))
        #expect(try await value(#"{"code":0,"data":[1],"total":1}"#, as: [Int].self) == [1])
        #expect(try await value(#"{"code":0,"data":{"left":{"_0":1}}}"#, as: Choice.self) == .left(1))
        #expect(try await value(#"{"code":0,"data":{"x":1}}"#, as: [String: Int].self) == ["x": 1])
    }

    @Test("a type that fits the payload leniently is decoded from it, although the whole has some of its keys")
    func lenient() async throws {
        struct Person: Decodable, Sendable, Equatable {
            var code: Int?
            var age: Int?
            var isMember: Bool?
            var name: String?
        }
        let client = Client(
            transport: ClosureTransport { _ in .json(#"{"code":0,"data":{"name":"a","age":"","isMember":""}}"#) })
        let person = try await client.absoluteURL("https://forum.example.com/x").set(\.decoding, .lenient).value(as: Person.self)
        #expect(person == Person(name: "a"))
    }

    @Test("a type that fits only the whole body is decoded from the whole")
    func whole() async throws {
        #expect(try await value(#"{"code":0,"data":{"name":"a"}}"#, as: Wrapped.self) == Wrapped(code: 0, data: User(name: "a")))
        #expect(try await value(#"{"code":0,"data":{"name":"a"}}"#, as: Wrapped?.self) == Wrapped(code: 0, data: User(name: "a")))
        #expect(try await value(#"{"data":[1,2],"total":2}"#, as: Page.self) == Page(data: [1, 2], total: 2))
        // A type with only optional members would decode from any object, so it has to find one of its keys.
        #expect(
            try await value(#"{"code":0,"message":"ok","data":{"nickname":"a"}}"#, as: LooselyWrapped.self)
                == LooselyWrapped(code: 0, message: "ok", data: Profile(nickname: "a")))
        #expect(
            try await value(#"{"success":true,"data":7,"nickname":"n","level":3}"#, as: Profile.self) == Profile(nickname: "n", level: 3))
    }

    @Test("null members are removed from the part that the type fits")
    func nulls() async throws {
        let body = #"{"data":[{"id":1,"note":null}],"total":1}"#
        let envelope = Envelope.standard.removingNulls()
        #expect(try await value(body, as: Rows.self, envelope) == Rows(data: [["id": 1]], total: 1))
        #expect(try await value(body, as: Rows?.self, envelope) == Rows(data: [["id": 1]], total: 1))
        #expect(try await value(body, as: [[String: Int]].self, envelope) == [["id": 1]])
        let withoutNulls = try await value(#"{"data":[{"id":1}],"total":1}"#, as: JSON.self)
        #expect(try await value(body, as: JSON.self, envelope) == withoutNulls)
        #expect(try await value(#"{"code":0,"data":{"x":1,"y":null}}"#, as: [String: Int].self, envelope) == ["x": 1])
        await #expect(throws: APIError.self) { _ = try await value(body, as: Rows.self) }
    }

    @Test("a call ignores null members that are removed when it asks whether its type fits", arguments: ["", #""y":null,"#])
    func nullsInVerdict(null: String) async throws {
        let body = #"{"ok":false,"values":{\#(null)"x":"1"}}"#
        let envelope = Envelope.standard.removingNulls()
        let expected = Signed(ok: false, values: ["x": "1"])
        #expect(try await value(body, as: Signed.self, envelope) == expected)
        #expect(try envelope.value(of: answer(body), as: Signed.self, decoder: JSONDecoder()) == expected)
    }

    @Test(
        "a member that is null and is removed makes no model fit the whole body",
        arguments: [
            (#"{"ok":false}"#, false), (#"{"ok":false,"nickname":null}"#, false),
            (#"{"ok":false,"nickname":"n","level":null}"#, true),
        ])
    func nullAlone(body: String, fits: Bool) async throws {
        let envelope = Envelope.standard.removingNulls()
        let called = try? await value(body, as: Member.self, envelope)
        let read = try? envelope.value(of: answer(body), as: Member.self, decoder: JSONDecoder())
        #expect(called == (fits ? Member(ok: false, nickname: "n") : nil))
        #expect(called == read)
    }

    @Test(
        "with lenient decoding an optional is nil for an empty payload in place of its value",
        arguments: [#"{"code":0,"data":[]}"#, #"{"code":0,"data":""}"#])
    func emptyOptional(body: String) throws {
        let response = try answer(body)
        for envelope in [Envelope.standard, .raw.codes("code").success(0).data("data")] {
            #expect(try envelope.value(of: response, as: User?.self, decoder: JSONDecoder(), .lenient) == nil)
            #expect(throws: APIError.self) { try envelope.value(of: response, as: User?.self, decoder: JSONDecoder()) }
            #expect(throws: APIError.self) { try envelope.value(of: response, as: User.self, decoder: JSONDecoder(), .lenient) }
        }
    }

    @Test(
        "a page is its items and the members beside them", arguments: [#"{"code":0,"data":[1,2],"total":5}"#, #"{"data":[1,2],"total":5}"#])
    func page(body: String) async throws {
        let page = try await value(body, as: Catena.Page<Int>.self)
        #expect(page.items == [1, 2])
        #expect(page.total == 5)
    }

    @Test("a null member does not empty a page whose items are at another key")
    func otherPage() async throws {
        #expect(try await value(#"{"code":0,"data":null,"ret":[1],"total":5}"#, as: Catena.Page<Int>.self).items == [1])
        #expect(try await value(#"{"code":0,"data":{"list":[1],"total":5}}"#, as: Catena.Page<Int>.self).total == 5)
    }

    @Test("the error of a type that fits neither part is about the payload")
    func neither() async throws {
        let error = await #expect(throws: APIError.self) { _ = try await value(#"{"code":0,"data":{"x":1}}"#, as: User.self) }
        #expect(error?.message == #"Cannot decode User at "name" (there is no such key). It begins: {"x":1}"#)
        let array = await #expect(throws: APIError.self) { _ = try await value(#"{"code":0,"data":[]}"#, as: Profile.self) }
        #expect(array?.kind == .decoding)
        // A dictionary has no keys of its own, so that it never asks for the envelope's.
        await #expect(throws: APIError.self) { _ = try await value(#"{"code":0,"data":[1]}"#, as: [String: JSON].self) }
        #expect(try await value(#"{"code":0,"data":{"x":1}}"#, as: Profile.self) == Profile())
    }

    @Test("a type is decoded from the payload that a declared envelope names, although it fits only the whole")
    func described() async throws {
        await #expect(throws: APIError.self) {
            _ = try await value(#"{"c":0,"d":{"x":1},"name":"a"}"#, as: User.self, .raw.codes("c").success(0).data("d"))
        }
    }

    @Test("the error of a missing payload names the keys and a step that would help")
    func missing() async throws {
        #expect(try await value(#"{"success":true,"total":2,"data":null}"#, as: Totals.self).total == 2)
        let error = await #expect(throws: APIError.self) {
            _ = try await value(#"{"success":true,"total":2,"data":null}"#, as: Totals.self, .standard.missingPayload(.fail))
        }
        #expect(error?.kind == .missingPayload)
        #expect(
            error?.message
                == #"The response has no payload (it was looked for at "data", "ret", "result"), but the call needs Totals. The whole body would do: envelope.missingPayload(.body)."#
        )
        #expect(try await value(#"{"success":true,"total":2,"data":null}"#, as: Totals.self, .standard.missingPayload(.body)).total == 2)
        let other = await #expect(throws: APIError.self) { _ = try await value(#"{"code":0,"data":null}"#, as: User.self) }
        #expect(other?.message.hasSuffix("but the call needs User.") == true)
        #expect(try await value(#"{"code":0,"data":null}"#, as: User?.self) == nil)
    }

    private struct Totals: Codable, Sendable { let total: Int }
}
