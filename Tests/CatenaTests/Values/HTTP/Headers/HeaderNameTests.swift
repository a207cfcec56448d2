import CatenaTesting
import Testing

@testable import Catena

extension HTTPHeaders.Name {
    fileprivate static let appVersion = HTTPHeaders.Name("X-App-Version")
}

@Suite("Names of headers", .limitedParallelism)
struct HeaderNameTests {
    @Test("text, variables of type String and names work in every step, side by side")
    func steps() async throws {
        let client = Client(testing: Stubs())
        client.defaultHost = "https://example.com"
        let (name, optional): (String, String?) = ("X-Variable", nil)
        let request = client.get("/a").header(.accept, "text/csv").header("X-Text", "1").header(name, "2").header(.appVersion, "3.2")
            .header(.userAgent, optional).header(.acceptLanguage, adding: "de").header(.acceptLanguage, adding: "en").header(
                .origin, "made up"
            )
            .header(.origin, nil)
        let headers = try await request.preview().headers
        #expect(headers[.accept] == "text/csv" && headers["accept"] == "text/csv" && headers[name] == "2")
        #expect(headers[.appVersion] == "3.2" && headers.values(for: .acceptLanguage) == ["de", "en"])
        #expect(headers.contains("X-Text") && !headers.contains(.origin))
    }

    @Test("headers are read and changed by name, without regard to case")
    func headers() {
        var headers: HTTPHeaders = ["content-type": "text/plain", "X-A": "1"]
        headers[.contentType] = "text/csv"
        headers.add("b=2", for: .cookie)
        headers.set("c=3", for: .cookie)
        headers.remove(.contentLength)
        #expect(headers.fields.map(\.value) == ["text/csv", "1", "c=3"])
        headers[.cookie] = nil
        #expect(headers == ["Content-Type": "text/csv", "X-A": "1"])
        #expect(HTTPHeaders.Name("ETAG") == .eTag && Set([HTTPHeaders.Name.eTag, .init("etag")]).count == 1)
        #expect("\(HTTPHeaders.Name.wwwAuthenticate)" == "WWW-Authenticate")
    }

    @Test("an invalid name of the app fails the call, as text does")
    func invalid() async {
        let client = Client(testing: Stubs())
        let error = await #expect(throws: APIError.self) { try await client.get("/a").header(.init("X Note"), "a").execute(.void).value }
        #expect(error?.kind == .invalidRequest)
    }
}
