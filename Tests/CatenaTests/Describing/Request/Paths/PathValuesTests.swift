import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("The route of a call", .limitedParallelism)
struct PathValuesTests {
    private static let id = 7
    private static let long = String(repeating: "x", count: 300)

    @Test("a route is the path before its values and names are filled, without its query")
    static func routesRows() {
        each(
            [
                ("/rooms", "/rooms"), ("rooms", "/rooms"), ("/rooms/", "/rooms/"), ("/rooms/{room}/users", "/rooms/{room}/users"),
                ("/rooms/\(id)", "/rooms/{}"), ("/rooms/\("a/b")/users", "/rooms/{}/users"), ("/\(id)/\("b")", "/{}/{}"),
                ("\("a")/b", "/{}/b"), ("/rooms/\(id)?page=\(2)", "/rooms/{}"), ("/rooms?ids=\(id)", "/rooms"), ("/rooms#top", "/rooms"),
                ("/\(raw: "rooms/x")/\(id)", "/rooms/x/{}"), ("/a/\(true)/b/\(id)", "/a/{}/b/{}"),
                ("/a/\(Date(timeIntervalSince1970: 0))", "/a/{}"),
                ("/a\(Path("/b/\(id)/c"))/\("d")", "/a/b/{}/c/{}"), ("/é/\(id)/ü", "/é/{}/ü"), ("/\("日本")/\(id)", "/{}/{}"),
                ("/\(id)\(id)", "/{}{}"), ("/\(UInt8(1))/\(UUID())", "/{}/{}"), (Path("/rooms/7"), "/rooms/7"), (Path(""), "/"),
                // At most four values are kept apart.
                ("/\(1)/\(2)/\(3)/\(4)", "/{}/{}/{}/{}"), ("/\(1)/\(2)/\(3)/\(4)/\(5)/end", "/{}/{}/{}/{}"),
                ("/\(1)/\(2)/\(3)/\(4)/\(5)/\(6)", "/{}/{}/{}/{}"),
                // A long value extends to the end, and so does one behind a long text.
                ("/a/\(long)/b/\(id)", "/a/{}"), (Path("/a/\(long)"), "/a/{}"),
                ("/a\(Path("/\(long)/b"))/\(id)", "/a/{}"),
            ] as [(Path, String)]
        ) { Self().routes(path: $0, route: $1) }
    }

    func routes(path: Path, route: String) {
        #expect(Location.route(of: path) == route)
        #expect(Client(testing: Stubs()).get(path).location.route == route)
    }

    @Test("a value behind a long text is cut off with the end of that text")
    func longText() {
        let path = Path("/\(raw: Self.long)/\(7)/b")
        #expect(path.values.template(of: path.text) == "/" + String(repeating: "x", count: 254) + "{}")
    }

    @Test("values are no names, a whole URL is a route without its query, and a long path shares its beginning")
    func otherPlaces() {
        let request = Client(testing: Stubs()).request
        #expect(request.get("/\("rooms")/\(7)").location.route == "/{}/{}")
        #expect(request.get("/a/\(7)").location.route == "/a/{}")
        #expect(request.absoluteURL("https://a.example.com/b?c=1").location.route == "https://a.example.com/b")
        #expect(request.get(Path("/" + String(repeating: "é", count: 600))).location.route.utf8.count <= 500)
        #expect(request.location.route == "/")
    }

    @Test("the encoded path is the same, whatever is recorded of its values", arguments: UInt64(0)..<8)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            var pieces = Path.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
            var (template, values) = ("", 0)
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let literal = "/" + String(repeating: "l", count: Int.random(in: 0...40, using: &random))
                pieces.appendLiteral(literal)
                template += literal
                guard values < 4, Bool.random(using: &random) else { continue }
                pieces.appendInterpolation(String(repeating: "v", count: Int.random(in: 1...200, using: &random)))
                template += "{}"
                values += 1
            }
            let path = Path(stringInterpolation: pieces)
            #expect(path.values.template(of: path.text) == template)
        }
    }
}
