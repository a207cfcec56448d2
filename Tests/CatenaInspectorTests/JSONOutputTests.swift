import Testing

@testable import CatenaInspector

@Suite("The JSON of the inspector", .limitedParallelism)
struct JSONOutputTests {
    @Test(
        "milliseconds are written with their sign and with microseconds",
        arguments: [
            (-0.5, "-0.500"), (-0.0001, "0"), (0, "0"), (0.5, "0.500"), (-1.25, "-1.250"), (-2, "-2"), (-0.001, "-0.001"), (1.0004, "1"),
        ] as [(Double, String)])
    func milliseconds(value: Double, text: String) {
        var output = JSONOutput()
        output.member("a", milliseconds: value)
        #expect(String(decoding: output.bytes, as: UTF8.self).hasSuffix(text))
    }
}
