// The parts of the sentence, with each word once, and the public signatures that are fixed. Both modules have this file. It is compiled, not run.
import Catena
import CatenaRules
import Dispatch
import Foundation

nonisolated struct Draft: Codable, Sendable, Equatable {
    var text = "Hello"
}

nonisolated struct SaveDraft: Endpoint {
    typealias Response = Draft
    let draft: Draft
    var tag: Tag { .forum }
    var path: Path { "/drafts" }
    var body: EndpointBody { .json(draft) }
}

nonisolated struct Refused: Error {}

nonisolated struct Canned: Transport {
    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: TransportBody(Data("[]".utf8)))
    }
}

nonisolated func whereAndWhat() -> [Request] {
    [
        API.host("https://forum.example.com").path("/v1/rooms/{room}?x=1").tag(.forum),
        API.tag(.forum).path("/rooms/\(7)"),
        API.absoluteURL("https://forum.example.com/v1/rooms"),
        API.tag(.forum).path("/v1/rooms").method(.get),
        API.get("/rooms"), API.post("/rooms"), API.put("/rooms"), API.patch("/rooms"), API.delete("/rooms"), API.head("/rooms"),
        API.tag(.forum).options("/rooms"),
    ]
}

nonisolated func with(_ request: Request, _ file: URL) -> Request {
    request
        .params(["page": 1, "since": Date(), "owner": ["id": 1, "name": "Ann"] as Params, "mixed": JSON(array: [1, "a"])])
        .param("parent", .null).param("size", 20).query(["q": nil]).query("via", "list").param("page", nil)
        .header("X-A", "1").headers(["X-B": "2"]).header("X-A", adding: "3").header("X-B", nil)
        .encoding(.form).timeout(.seconds(10)).deadline(.seconds(30)).retry(.never).retry(.exponential(limit: 2))
        .authenticated(false).envelope(.raw).cache(.expire(.seconds(60))).id("search").group("screen")
        .commonParams(.query).commonParams(.merged).commonParams(.none).commonHeaders(.merged).commonHeaders(.none)
        .before { try await Task.sleep(for: .zero) }
}

nonisolated func bodies(_ request: Request, _ file: URL) -> [Request] {
    [
        request.json(["a": 1, "b": ["c", "d"]]), request.json(Draft()), request.form(["a": 1]),
        request.multipart { form in form.file(file, name: "photo") }, request.body(Data(), contentType: "text/plain"),
    ]
}

/// Calls that send and promise may be statements.
nonisolated func sent(_ request: Request, _ file: URL) async throws {
    request.execute()
    request.execute(as: Draft.self)
    promised(request, file)
    try await request.value()
    try await request.value(as: Draft.self)
    API.call(SaveDraft(draft: Draft()))
    try await API.value(SaveDraft(draft: Draft()))
    API.batch([SaveDraft(draft: Draft())])
    API.request(named: "Drafts") { context in context.params = ["page": 1] }
    for try await piece in request.stream() { print(piece.count) }
    for try await line in request.lines() { print(line) }
    for try await event in request.events() { print(event.data) }
}

/// The results other than the payload that `execute` promises.
nonisolated func promised(_ request: Request, _ file: URL) {
    request.execute(.response(as: Draft.self))
    request.execute(.data)
    request.execute(.string)
    request.execute(.void)
    request.execute(.download(to: file))
    let call = request.execute(.data)
    call.then { data in print(data.count) }
}

/// The words that are awaited, and `execute` in an async function.
nonisolated func awaited(_ request: Request, _ file: URL) async throws {
    try await request.response(as: Draft.self)
    try await request.data()
    try await request.string()
    try await request.void()
    try await request.download(to: file)
    let response = try await request.response(as: Draft.self)
    let data: Data = try await request.data()
    async let text = request.string()
    async let done: Void = request.void()
    let (size, _) = try await (text.count, done)
    print(response.payload.text, response.status, data.count, size, try await request.download(to: file).url)
    print(try await request.execute(.response(as: Draft.self)).value.status, try await request.execute(.data).value.count)
    let later: Promise<Void> = request.execute(.void)
    let inTask = Task { try await request.void() }
    let inPromise = Promise { try await request.string() }.map { text in text.count }
    request.execute(.void).then { print("done") }
    request.execute(.data).map { data in data.count }.then { count in print(count) }
    request.execute().flatMap { _ in request.execute(.void) }.then { print("done") }
    let several = Promise.all((0..<3).map { _ in request.execute(.data) })
    let both = Promise.all(request.execute(.void), request.execute(.response(as: Draft.self)))
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await request.void() }
        try await group.waitForAll()
    }
    let perform: @Sendable () async throws -> Data = { try await request.data() }
    let promise: @Sendable () -> Promise<Data> = { request.execute(.data) }
    print(try await later.value, try await inTask.value, try await inPromise.value, try await several.value.count)
    print(try await both.value.1.payload)
    print(try await perform().count, try await promise().value.count)
}

nonisolated func typedByContext(_ request: Request) async throws -> Promise<[Draft]> {
    let one: Draft = try await request.value()
    let none: Draft? = try await request.value()
    let json = try await request.value()
    let drafts: Promise<[Draft]> = request.execute()
    print(one, none as Any, json.drafts[0].text.string ?? "")
    return drafts.flatMap { _ in request.execute() }
}

nonisolated func looking(_ request: Request) async throws {
    let preview = try await request.preview()
    print(preview.method, preview.url, preview.headers["X-A"] ?? "", preview.body?.count ?? 0)
    print(try await request.curl(), request.explain())
}

nonisolated func promises(_ queue: DispatchQueue, _ request: Request) async throws {
    let made = Promise(value: 1)
    let failed = Promise<Int>(error: Refused())
    let worked = Promise { 1 }
    let awaited = Promise { try await request.value(as: Draft.self) }
    let (promise, resolver) = Promise<Int>.pending()
    resolver.fulfill(1)
    resolver.reject(Refused())
    promise.then(on: queue) { number in print(number) }
        .catch(as: Refused.self, on: queue) { error in print(error) }
        .catch(on: queue) { error in print(error.code, error.message, error == error) }
        .finally(on: queue) { print("over") }
    promise.whenSettled(on: queue) { result in print(result) }
    let again = Promise.retry(times: 2, delay: .seconds(1), while: { error in error is Refused }) { request.execute(as: Draft.self) }
    let several: Promise<[Int]> = Promise.all([made, failed])
    let both = Promise.all(worked, awaited).map { number, draft in "\(number) \(draft.text)" }
    print(try await several.value, try await both.value, try await again.value)
    let recovered = failed.recover { _ in 0 }.flatRecover { _ in made }.validate { $0 == 0 }.timeout(.seconds(1)).delay(.seconds(1))
    print(try await recovered.value)
}

nonisolated func values(_ headers: HTTPHeaders) -> Set<ErrorCode> {
    let text: String? = headers["X-A"]
    let members = JSON(["a": 1, "b": .null])
    print(text ?? "", members.a.int ?? 0, members["count"].isNull)
    return [1, "E01"]
}

nonisolated func clients() async throws -> [User] {
    let client = Client(transport: Canned())
    client.configure(.forum) { forum in
        forum.host = "https://forum.example.com"
        forum.retry = .never
        forum.envelope = .raw
        forum.authentication = .bearer("made-up")
    }
    return try await client.tag(.forum).get("/users").value()
}

#if os(Linux)
nonisolated func engine() throws -> CurlTransport { try CurlTransport(CurlConfiguration()) }
#endif
