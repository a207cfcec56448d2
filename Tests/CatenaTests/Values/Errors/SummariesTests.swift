import Foundation
import Testing

@testable import Catena

@Suite("Summaries", .limitedParallelism)
struct SummariesTests {
    @Test("a request is shown without secrets and without its body")
    func request() throws {
        let request = HTTPRequest(
            method: .post,
            address: try HTTPAddress(parsing: "https://forum.example.com/login?app=ios&sign=made-up"),
            headers: ["Authorization": "Bearer made-up", "Accept": "*/*"],
            body: Data("password=made-up".utf8)
        )
        let summary = RequestSummary(request, tag: "forum")
        #expect(summary.method == .post)
        #expect(summary.url == "https://forum.example.com/login?app=ios&sign=***")
        #expect(summary.headers == ["Authorization": "***", "Accept": "*/*"])
        #expect(summary.tag == "forum")
        #expect("\(summary)" == "POST https://forum.example.com/login?app=ios&sign=***")
        #expect("\(request)" == "\(summary)")
        var dumped = ""
        dump(summary, to: &dumped)
        #expect(!dumped.contains("made-up"))
    }

    @Test("a response is shown without secrets and without its body")
    func response() throws {
        let response = HTTPResponse(
            status: 302,
            headers: ["Set-Cookie": "sid=made-up", "Location": "/cb?token=made-up", "X-Trace": "t1"],
            body: Data("made-up".utf8),
            address: try HTTPAddress(parsing: "https://forum.example.com/")
        )
        let summary = ResponseSummary(response)
        #expect(summary.status == 302)
        #expect(summary.headers == ["Set-Cookie": "***", "Location": "/cb?token=***", "X-Trace": "t1"])
        #expect("\(summary)" == "status 302")
        var dumped = ""
        dump(summary, to: &dumped)
        #expect(!dumped.contains("made-up"))
    }
}
