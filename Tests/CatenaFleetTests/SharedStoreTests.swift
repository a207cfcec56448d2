import Foundation
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("Values in a shared store", .limitedParallelism)
struct SharedStoreTests {
    private static let content = Data("content".utf8)

    @Test("a value can be read under its own key only")
    func sealed() {
        let sealed = SharedValue.seal(Self.content, for: "a")
        #expect(SharedValue.open(sealed, of: "a") == Self.content)
        #expect(SharedValue.open(sealed, of: "b") == nil)
        #expect(SharedValue.open(SharedValue.seal(Data(), for: "a"), of: "a") == Data())
        // The indices of a slice do not begin at zero.
        #expect(SharedValue.open((Data([1, 2, 3]) + sealed).dropFirst(3), of: "a") == Self.content)
    }

    @Test("a value that is damaged, cut, too long, of another version or missing reads as nil")
    func damaged() {
        let sealed = SharedValue.seal(Self.content, for: "a")
        for place in sealed.indices {
            var damaged = sealed
            damaged[place] ^= 1
            #expect(SharedValue.open(damaged, of: "a") == nil)
            #expect(SharedValue.open(sealed.prefix(place), of: "a") == nil)
        }
        #expect(SharedValue.open(sealed + Data([0]), of: "a") == nil)
        #expect(SharedValue.open(Data("Catena shared 2\n".utf8) + sealed.dropFirst(16), of: "a") == nil)
        #expect(SharedValue.open(nil, of: "a") == nil)
        #expect(SharedValue.open(sealed, of: "a", as: [Int].self) == nil)
    }

    @Test("moments are exact to the nanosecond and bounded")
    func moments() throws {
        #expect(SharedMoment(.nanoseconds(1_800_000_000_000_000_001)).time == .nanoseconds(1_800_000_000_000_000_001))
        #expect(SharedMoment(.seconds(-1)).time == .zero)
        #expect(SharedMoment(.seconds(Int64.max)).time == .seconds(9_000_000_000))
        for written in ["[-1]", "[\(Int64.min)]", "[\(Int64.max)]"] {
            let moment = try #require(try JSONDecoder().decode([SharedMoment].self, from: Data(written.utf8)).first)
            #expect(moment.time >= .zero)
        }
    }

    @Test("a reading has nil for each value that the store did not return")
    func reading() {
        let reading = SharedReading(values: [Self.content], time: .zero)
        #expect(reading[0] == Self.content)
        #expect(reading[1] == nil)
    }
}
