import Catena
import Testing

/// A new user's mistakes at run time: error, explanation or diagnostic name the cause and the correction.
@Suite("Mistakes at run time", .limitedParallelism) struct RunTimeMistakeTests {
    @Test("each is named, with what to write")
    static func wordsRows() async {
        await each(RunTimeMistake.all) { await Self().words(mistake: $0) }
    }

    func words(mistake: RunTimeMistake) async {
        let heard = await MistakeBench().hear(mistake)
        #expect(heard.error?.kind == mistake.kind, "\(heard.text)")
        for word in mistake.words { #expect(heard.text.contains(word), "\(heard.text)") }
    }

    @Test("the mistakes are many, and no two have one name")
    func count() {
        #expect(RunTimeMistake.all.count >= 40)
        #expect(Set(RunTimeMistake.all.map(\.name)).count == RunTimeMistake.all.count)
    }
}
