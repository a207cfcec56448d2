import Foundation
import Testing

@testable import Catena
@testable import CatenaArchive

@Suite("HTTP archives", .limitedParallelism)
struct HTTPArchiveTests {
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

    @Test("an archive has the members that HAR 1.2 requires, without secrets")
    func archive() throws {
        let archive = HTTPArchiveBuilder().archive([try Self.call()], version: "1.0")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(archive), as: UTF8.self)
        #expect(!text.contains("s3cret"))
        #expect(try JSONDecoder().decode(HTTPArchive.self, from: Data(text.utf8)) == archive)
        let entry = archive.log.entries[0]
        #expect(archive.log.version == "1.2")
        #expect(archive.log.creator == .init(name: "Catena", version: "1.0"))
        #expect(entry.startedDateTime == "1994-11-06T08:49:37.062Z")
        #expect(entry.request.url == "https://h/p?token=***&q=a%20b")
        #expect(entry.request.queryString == [.init(name: "token", value: "***"), .init(name: "q", value: "a b")])
        #expect(entry.request.postData == .init(mimeType: "application/json", text: #"{"password":"***","n":1}"#))
        #expect(entry.request.bodySize == 27)
        #expect(entry.request.headers[0] == .init(name: "Authorization", value: "***"))
        #expect(entry.response.status == 200)
        #expect(entry.response.content == .init(size: 11, mimeType: "text/plain", text: "one\ntwo\u{1F603}"))
        #expect(entry.timings == .init(blocked: 1, dns: 2.5, connect: 7, ssl: 4, send: 0, wait: 50, receive: 6.04))
        #expect(abs(entry.time - 66.54) < 1e-6)
        #expect(entry.comment == "tag forum, attempt 2")
    }

    @Test("a body that is read while it is sent has its size, or -1 for an unknown one, and no text", arguments: [true, false])
    func unkeptBody(isKnown: Bool) throws {
        var call = try Self.call()
        call.request.body = nil
        call.request.bodySource = isKnown ? BodySource(Data("0123456789".utf8)) : BodySource(stream: AsyncStream<Data> { $0.finish() })
        for call in [call, call.cut(to: 4)] {
            let request = HTTPArchiveBuilder().entry(call).request
            #expect(request.bodySize == (isKnown ? 10 : -1))
            #expect(request.postData == .init(mimeType: "application/json", text: "", comment: "the body is not kept"))
        }
    }

    @Test("a call without a response or with a binary body is an entry of the archive")
    func oddEntries() throws {
        var call = try Self.call()
        call.response?.body = Data([0, 1, 2])
        call.timings = CallTimings()
        #expect(
            HTTPArchiveBuilder().entry(call).response.content == .init(size: 3, mimeType: "text/plain", text: "AAEC", encoding: "base64"))
        call.response?.body = Data([0]) + Data("password=s3cret".utf8)
        #expect(HTTPArchiveBuilder().entry(call).response.content == .init(size: 16, mimeType: "text/plain"))
        call.response = nil
        call.error = APIError(.connect, message: "refused")
        let entry = HTTPArchiveBuilder().entry(call)
        #expect(entry.response.status == 0)
        #expect(entry.comment?.contains("refused") == true)
        #expect(entry.time == 0)
        #expect(entry.timings == .init(blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, receive: 0))
    }
}
