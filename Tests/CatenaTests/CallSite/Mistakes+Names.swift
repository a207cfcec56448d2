// Types of the app, or of another module, with names of Catena.
extension Mistake {
    static let names = [
        Mistake(
            name: "an API of the app",
            given: "enum API { static let version = 3 }",
            code: """
                func me() async throws -> Int {
                    try await API.get("/me").value()
                }
                """,
            line: 2,
            message: "type 'API' has no member 'get'"),
        Mistake(
            name: "an APIError of the app",
            given: "enum APIError: Error { case closed }",
            code: """
                func me() {
                    API.get("/me").execute().catch { (error: APIError) in print(error.code) }
                }
                """,
            line: 2,
            message:
                "cannot convert value of type '@Sendable (APIError) -> ()' to expected argument type '@MainActor @Sendable (APIError) throws -> Void'"
        ),
        Mistake(
            name: "a Page of the app",
            given: "struct Page: Sendable { let number: Int }",
            code: """
                func names() async throws {
                    for try await page in API.get("/names").pages(of: String.self) {
                        let page: Page = page
                        print(page)
                    }
                }
                """,
            line: 3,
            message: "cannot convert value of type 'Page<String>' to specified type 'Page'"),
        Mistake(
            name: "a Profile of the app",
            given: "struct Profile: Sendable { let name: String }",
            code: """
                func configure(_ change: (inout Profile) -> Void) {
                    API.configure("forum", change)
                }
                """,
            line: 2,
            message:
                "cannot convert value of type '(inout Caller.Profile) -> Swift.Void' to expected argument type '(inout Catena.Profile) -> Swift.Void'"
        ),
        Mistake(
            name: "a Profile of the app in a closure",
            given: "struct Profile: Sendable { var host: String? }",
            code: """
                func configure() {
                    API.configure("forum") { (forum: inout Profile) in forum.host = "https://forum.example.com" }
                }
                """,
            line: 2,
            message: "cannot convert value of type '(inout Profile) -> ()' to expected argument type '(inout Profile) -> Void'"),
        Mistake(
            name: "a Tag beside that of Testing",
            given: "import Testing",
            code: """
                extension Tag {
                    static let forum: Tag = "forum"
                }
                """,
            line: 1,
            message: "'Tag' is ambiguous for type lookup in this context"),
    ]
}
