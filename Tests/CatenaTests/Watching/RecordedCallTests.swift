import Foundation
import Testing

@testable import Catena

@Suite("Recorded calls", .limitedParallelism)
struct RecordedCallTests {
    private static func call() throws -> RecordedCall {
        let address = try HTTPAddress(parsing: "https://h/p?token=s3cret&q=a%20b")
        var timings = CallTimings()
        timings.queue = .milliseconds(1)
        timings.dns = .microseconds(2500)
        timings.connect = .milliseconds(3)
        timings.tls = .milliseconds(4)
        timings.firstByte = .milliseconds(50)
        timings.transfer = .microseconds(6040)
        return RecordedCall(
            request: HTTPRequest(
                method: .post, address: address, headers: ["Authorization": "Bearer s3cret", "Content-Type": "application/json"],
                body: Data(#"{"password":"s3cret","n":1}"#.utf8)), tag: "forum", attempt: 2,
            started: Date(timeIntervalSince1970: 784_111_777.0625), timings: timings,
            response: HTTPResponse(
                status: 200, headers: ["Set-Cookie": "sid=s3cret", "Content-Type": "text/plain"], body: Data("one\ntwo\u{1F603}".utf8),
                address: address))
    }

    @Test("the line of a call has request, outcome and time without secrets")
    func line() throws {
        var call = try Self.call()
        let log = LogFormat()
        #expect(log.line(call) == "POST https://h/p?token=***&q=a%20b → 200, 11 bytes in 66.5 ms (attempt 2) [forum]")
        call.error = APIError(.business, code: 7, message: "no\nroom", status: 200)
        #expect(log.line(call) == "POST https://h/p?token=***&q=a%20b → 200, business 7 no room in 66.5 ms (attempt 2) [forum]")
        call.response = nil
        call.error = APIError(.timeout, message: "too late")
        call.timings = CallTimings()
        call.attempt = 1
        call.tag = nil
        #expect(log.line(call) == "POST https://h/p?token=***&q=a%20b → timeout 110 too late")
        call.error = nil
        #expect(log.line(call) == "POST https://h/p?token=***&q=a%20b → no response yet")
    }

    @Test("the verbose text adds phases, headers and bodies, with a mark at each line")
    func verbose() throws {
        #expect(
            LogFormat().verbose(try Self.call()) == """
                POST https://h/p?token=***&q=a%20b → 200, 11 bytes in 66.5 ms (attempt 2) [forum]
                  queue 1.0 ms, dns 2.5 ms, connect 3.0 ms, tls 4.0 ms, first byte 50.0 ms, transfer 6.0 ms
                  > Authorization: ***
                  > Content-Type: application/json
                  > \("")
                  > {"password":"***","n":1}
                  < Set-Cookie: ***
                  < Content-Type: text/plain
                  < \("")
                  < one
                  < two😃
                """)
    }

    @Test("long bodies are cut, binary bodies are left out, and control characters do not reach the terminal")
    func bodies() throws {
        var call = try Self.call()
        var log = LogFormat()
        log.longestBody = 5
        call.response?.body = Data("0123456789".utf8)
        #expect(log.verbose(call).hasSuffix("< 01234… (10 bytes)"))
        for body in [Data([0xFF, 0xFE]), Data("\u{1B}[31mred".utf8), Data([0])] {
            call.response?.body = body
            #expect(log.verbose(call).hasSuffix("< (\(body.count) bytes)"))
        }
        call.response?.body = Data("a\r\nGET https://evil → 200".utf8)
        log.longestBody = 100
        #expect(log.verbose(call).hasSuffix("< a\n  < GET https://evil → 200"))
    }

    @Test("all attempts of a call have one trace id and a span id of their own")
    func traces() {
        var generator = SystemRandomNumberGenerator()
        let trace = TraceContext.random(using: &generator)
        let parents = (0..<50).map { _ in trace.parent(using: &generator) }
        #expect(Set(parents).count == 50)
        for parent in parents {
            #expect(parent.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-01/) != nil)
            #expect(parent.dropFirst(3).hasPrefix(trace.traceID))
        }
        var zeros = Zeros()
        let zero = TraceContext.random(isSampled: false, using: &zeros)
        #expect(zero.parent(using: &zeros) == "00-00000000000000000000000000000001-0000000000000001-00")
    }

    private struct Zeros: RandomNumberGenerator {
        mutating func next() -> UInt64 { 0 }
    }
}
