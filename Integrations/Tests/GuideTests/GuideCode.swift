import AsyncHTTPClient
import Catena
import CatenaAsyncHTTPClient
import CatenaHTTPTypes
import CatenaLogging
import CatenaMetrics
import CatenaTesting
import CatenaTracing
import HTTPTypes
import Logging
import MetricsTestKit

/// The blocks of Docs/Integrations.md, which are compiled here and nowhere else. GuideTests compares them.
enum GuideCode {
    static func logging() {
        API.log(to: .logger(Logger(label: "calls")))
        API.log(.verbose, to: .logger(Logger(label: "calls")) { $0.failure == nil ? .trace : .error })
    }

    static func metrics() -> Registration {
        let metrics = Client.shared.recordMetrics()
        return metrics
    }

    static func tracing() -> [Registration] {
        let tracing = Client.shared.trace()
        let internalOnly = Client.shared.trace { call in call.request.address.host.hasSuffix(".internal") }
        return [tracing, internalOnly]
    }

    static func httpTypes() async throws -> (HTTPTypes.HTTPRequest?, Catena.HTTPRequest?, HTTPFields?) {
        let request = try await API.get("/rooms").preview()
        let head = HTTPTypes.HTTPRequest(request)
        let again = head.flatMap { Catena.HTTPRequest($0, body: request.body) }
        let fields = HTTPFields(request.headers)
        return (head, again, fields)
    }

    static func asyncHTTPClient() -> Client {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .server(host: "proxy.example.com", port: 3128)
        let transport = AsyncHTTPClientTransport(configuration)
        let client = Client(transport: transport)
        return client
    }

    static func test() async throws -> [String] {
        let stubs = Stubs()
        let tested = Client(testing: stubs)
        let recorded = TestMetrics()
        tested.recordMetrics(to: recorded)
        stubs.get("/rooms").reply(data: ["red"])
        let rooms = try await tested.get("/rooms").value(as: [String].self)
        return rooms
    }
}
