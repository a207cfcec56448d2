import Catena
import CatenaTesting
import LinkPages
import Testing

@Suite struct LinkPagesTests {
    private let stubs = Stubs()
    private let issues = "/repos/a/b/issues"
    private var repository: Repository { Repository(owner: "a", name: "b", token: "made-up", client: Client(testing: stubs)) }

    private func stubPages() {
        stubs.get(issues).query(["page": 2]).reply(json: [["number": 3, "title": "Three"]])
        stubs.get(issues).header("Authorization", "Bearer made-up").header("X-Api-Version", "2022-11-28")
            .reply(
                .json([["number": 1, "title": "One"], ["number": 2, "title": "Two"]])
                    .header("Link", "<https://api.example.com\(issues)?page=2>; rel=\"next\""))
    }

    @Test("the issues of all pages are listed")
    func pages() async throws {
        stubPages()
        #expect(try await repository.issues(label: "bug").map(\.number) == [1, 2, 3])
        #expect(stubs.requests(to: issues).first?.query("labels") == "bug")
    }

    @Test("no page is requested after the one with the issue that was looked for")
    func first() async throws {
        stubPages()
        #expect(try await repository.issue(titled: "Two")?.number == 2)
        try stubs.expect(.get, issues).times(1)
        #expect(try await repository.issue(titled: "Four") == nil)
    }

    @Test("an issue is opened and closed")
    func openAndClose() async throws {
        stubs.post(issues).json(["title": "New", "body": "text"]).reply(json: ["number": 4, "title": "New"], status: 201)
        stubs.patch("\(raw: issues)/4").json(["state": "closed"]).reply(json: ["number": 4, "title": "New"])
        #expect(try await repository.open("New", body: "text").number == 4)
        #expect(try await repository.close(4).number == 4)
        try stubs.verify()
    }

    @Test("the fields that the service refuses are an error of the SDK")
    func refused() async throws {
        stubs.post(issues).reply(
            json: ["message": "Validation Failed", "errors": [["resource": "Issue", "field": "title", "code": "missing_field"]]],
            status: 422)
        let error = await #expect(throws: Invalid.self) { try await repository.open("") }
        #expect(error?.errors.map(\.field) == ["title"])
    }

    @Test("a star is sent without waiting for the response")
    func star() async throws {
        stubs.put("/user/starred/a/b").reply(status: 204)
        repository.star()
        try await stubs.verifyWhenIdle()
    }
}
