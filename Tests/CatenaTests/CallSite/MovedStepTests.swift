#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The compiler's messages about steps that have another name since the last version.
@Suite("Moved steps", .limitedParallelism) struct MovedStepTests {
    /// A step as it was written, and a part of the message about it.
    private static let rows = [
        (#"accept("application/pdf")"#, #"set(\.acceptedTypes, "#), ("control(control)", #"set(\.control, control)"#),
        ("decoding(.lenient)", #"set(\.decoding, .lenient)"#), ("firstByteTimeout(.seconds(3))", #"set(\.firstByteTimeout, "#),
        ("idleTimeout(.seconds(5))", #"set(\.idleTimeout, "#), ("hedge(after: .milliseconds(80))", #"set(\.hedgeDelay, "#),
        ("idempotencyKey()", #"set(\.idempotencyKey, .random)"#), (#"idempotencyKey("order-7")"#, #"set(\.idempotencyKey, .random)"#),
        ("priority(.high)", #"set(\.priority, .high)"#), (#"unwrap(.path("data.list"))"#, #"set(\.unwrap, "#),
        ("parameterStyle(ParameterStyle())", "encoding(style:)"), ("parameterStyle { $0.arrays = .repeat }", "encoding(_:)"),
        (#"propertyList(["a": 1])"#, "body(propertyList:)"), ("upload(file: file)", "body(file:contentType:)"),
        ("reporting(to: progress)", "onProgress(to:_:)"), (#"loadMessage("…")"#, "loading(message:modal:priority:)"),
        (#"hostKey("cards")"#, "host(key:)"), ("intercept { call, next in try await next(call) }", #"set(\.interceptors, "#),
        ("debugDelay(.seconds(2))", #"set(\.debugDelay, "#), ("debugFail(500)", #"set(\.debugFail, "#),
        ("url", "absoluteURL"), (#"addHeader("A", "1")"#, "header(name, adding: value)"),
        ("addHeader(.accept, \"a/b\")", "header(name, adding: value)"),
        (#"removeHeader("A")"#, "header(name, nil)"), ("removeHeader(.accept)", "header(name, nil)"),
        (#"removeParam("a")"#, "param(name, nil)"), (#"segments("rooms", 7)"#, "path("), ("dedupe()", #"set(\.dedupe, true)"#),
        ("void().isPending", "execute(.void)"), ("data().isPending", "execute(.data)"), ("string().isPending", "execute(.string)"),
        ("response(as: Int.self).isPending", "execute(.response(as:))"), ("download(to: file).isPending", "execute(.download(to:))"),
        ("execute().values", "promise.value"),
    ]

    @Test("the compiler names the new form, at the line of the step")
    func messages() throws {
        let source = """
            import Catena
            import Foundation

            func requests(_ control: TransferControl, _ file: URL, _ progress: Progress) {
            \(Self.rows.map { "_ = API.get(\"/a\").\($0.0)" }.joined(separator: "\n"))
            }
            """
        let complaints = try SwiftCompiler().typecheck([source])
        #expect(complaints.map(\.line) == Array(5..<(5 + Self.rows.count)))
        for (complaint, row) in zip(complaints, Self.rows) {
            #expect(complaint.message.contains(row.1), "\(row.0): \(complaint.message)")
        }
    }

    @Test("the new forms compile")
    func forms() throws {
        let source = #"""
            import Catena
            import CatenaRules
            import CatenaURLSession
            import Foundation

            func requests(_ control: TransferControl, _ file: URL, _ progress: Progress, _ order: Int) -> Request {
                API.tag("wallet").host(key: "cards").post("/a").set(\.acceptedTypes, ["application/pdf"]).set(\.control, control)
                    .set(\.decoding, .lenient(.defaults)).set(\.firstByteTimeout, .seconds(3)).set(\.idleTimeout, nil)
                    .set(\.hedgeDelay, .milliseconds(80)).set(\.idempotencyKey, "order-\(order)").set(\.priority, .high)
                    .set(\.unwrap, .path("data.list")).encoding { $0.arrays = .repeat }.encoding(style: ParameterStyle())
                    .body(propertyList: ["a": 1]).body(file: file).onProgress(to: progress).loading(message: "…", modal: true)
                    .set(\.interceptors, [Interceptor("clock") { call, next in try await next(call) }])
                    .set(\.debugDelay, .seconds(2)).set(\.debugFail, 500).set(\.dedupe, true)
                    .header("A", adding: "1").header(.accept, adding: "a/b").header("A", nil).header(.accept, nil).param("a", nil)
            }
            """#
        #expect(try SwiftCompiler().typecheck([source]) == [])
    }
}
#endif
