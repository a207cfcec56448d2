#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The compiler's messages about names of products that a file does not import.
@Suite("Names of products", .limitedParallelism) struct MovedNameTests {
    /// Code that needs a product: each line is a statement.
    private static let products = [
        "CatenaArchive": [
            "_ = HARRecorder()", "_ = HARRecorder(limit: 7)", "func a(_ b: HARRecorder) {}",
            "API.record(into: HARRecorder()).end()",
        ],
        "CatenaFleet": [
            "func a(_ b: any SharedStore, _ c: SharedReading, _ d: SharedCredential) {}",
            #"API.configure("a") { $0.sharedLimits = nil }"#,
            "func g(_ h: any SharedStore) { _ = ResponseCache.shared(h, limit: 5) }",
            "func e(_ f: Authentication<BearerAuthenticator>) async throws { _ = try await f.load() }",
        ],
        "CatenaRules": [
            "_ = API.rules", "_ = Client().rules", #"_ = API.request(named: "a")"#, #"_ = Client().request(named: "a")"#,
            #"API.request(named: "a") { _ in }"#, #"API.request(named: "a") { $0.params = ["page": 1] }"#,
            #"func i() async { _ = await API.request(named: "a") { $0.userInfo = ["b": 1] }.result }"#,
            "func j() throws { try API.rules.load(dictionary: [:]) }", "API.rules.register(Int.self)",
            #"API.rules.authorizationHeaders = ["X-Token": "a"]"#, #"_ = Rule("a")"#, "_ = RuleSet()", "_ = RuleRegistry()",
            "func a(_ b: RuleContext, _ c: RuleTask, _ d: RuleValue) {}", "func e(_ f: RuleFault, _ g: RuleFaults, _ h: RuleOrigin) {}",
            #"_ = API.get("a").set(\.debugDelay, .seconds(2))"#, #"_ = API.get("a").set(\.debugFail, 500)"#,
        ],
        "CatenaSigners": [
            #"API.configure("a") { $0.signer = .weChatPayV2(key: "b") }"#, #"API.configure("a") { $0.signer = .alipay(privateKey: "b") }"#,
            #"API.configure("a") { $0.signer = .weChatPayV3(merchant: "1", serial: "2", privateKey: "b") }"#,
            #"API.configure("a") { $0.signer = .awsSignatureV4(accessKey: "b", secretKey: "c", region: "d", service: "s3") }"#,
            #"_ = ParameterSigner(.rsaSHA256(privateKey: "a"))"#, "func c(_ d: AWSSigner) {}", "func e(_ f: WeChatPaySigner) {}",
        ],
    ]

    @Test("without the import, the compiler names the product at each use", arguments: products.keys.sorted())
    func messages(product: String) throws {
        let lines = Self.products[product] ?? []
        let complaints = try SwiftCompiler().typecheck([Self.source(lines, imports: ["Catena"])])
        #expect(Set(complaints.map(\.line)) == Set(lines.indices.map { $0 + 4 }), "\(complaints)")
        for complaint in complaints {
            #expect(complaint.message.contains("Add the product \(product) to the target, and `import \(product)`."), "\(complaint)")
        }
    }

    @Test("with the import, the names are those of the product", arguments: products.keys.sorted())
    func imported(product: String) throws {
        #expect(try SwiftCompiler().typecheck([Self.source(Self.products[product] ?? [], imports: ["Catena", product])]) == [])
    }

    @Test("an app that imports every product has no name twice")
    func together() throws {
        let lines = Self.products.sorted { $0.key < $1.key }.flatMap(\.value)
        #expect(try SwiftCompiler().typecheck([Self.source(lines, imports: ["Catena"] + Self.products.keys.sorted())]) == [])
    }

    /// Returns a source whose statements begin in the fourth line.
    private static func source(_ lines: [String], imports: [String]) -> String {
        """
        \(imports.map { "import \($0)" }.joined(separator: ";"))

        func statements() {
        \(lines.joined(separator: "\n"))
        }
        """
    }
}
#endif
