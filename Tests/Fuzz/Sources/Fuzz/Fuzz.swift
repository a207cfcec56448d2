import Foundation
import LibFuzzer

/// Fuzzes the parsers of Catena.
///
/// `Fuzz --targets` prints the names of the targets, one on each line. `Fuzz TARGET FOLDER [options of libFuzzer]` fuzzes a target with the inputs in a
/// folder, to which the seeds are added first. `Fuzz TARGET FILE` runs a target with one input.
@main
struct Fuzz {
    /// Set before the first input, and read on the same thread.
    private nonisolated(unsafe) static var target = FuzzTarget.all[0]

    /// The functions below are called with this `main` and with libFuzzer's, whichever is linked.
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(
            &count, &arguments,
            {
                Fuzz.test(UnsafeBufferPointer(start: $0, count: $1)); return 0
            })
    }

    /// Removes the program's arguments, and leaves those of libFuzzer.
    static func prepare(
        _ count: UnsafeMutablePointer<CInt>, _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
    ) -> CInt {
        let arguments = (0..<Int(count.pointee)).compactMap { pointers.pointee?[$0].map { String(cString: $0) } }
        if arguments.dropFirst().first == "--targets" {
            for target in FuzzTarget.all { print(target.name) }
            exit(0)
        }
        guard arguments.count >= 3, let target = FuzzTarget.all.first(where: { $0.name == arguments[1] }) else {
            print("usage: Fuzz --targets | Fuzz TARGET FOLDER [options of libFuzzer] | Fuzz TARGET FILE")
            exit(2)
        }
        self.target = target
        var isFolder: ObjCBool = true
        _ = FileManager.default.fileExists(atPath: arguments[2], isDirectory: &isFolder)
        if isFolder.boolValue { writeSeeds(to: URL(fileURLWithPath: arguments[2], isDirectory: true)) }
        let left = [arguments[0]] + (isFolder.boolValue ? ["-max_len=4096"] : []) + arguments[3...] + [arguments[2]]
        // Not freed, because libFuzzer reads them until the process ends.
        let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: left.count + 1)
        for (index, argument) in left.enumerated() { copies[index] = strdup(argument) }
        copies[left.count] = nil
        pointers.pointee = copies
        count.pointee = CInt(left.count)
        return 0
    }

    private static func writeSeeds(to folder: URL) {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (index, seed) in target.seeds.enumerated() {
                try Data(seed).write(to: folder.appendingPathComponent("seed-\(index)"))
            }
        } catch {
            print("the seeds cannot be written: \(error)")
            exit(2)
        }
    }

    static func test(_ bytes: UnsafeBufferPointer<UInt8>) {
        target.run(Array(bytes))
    }
}

// The functions that libFuzzer calls by name.

@_cdecl("LLVMFuzzerInitialize")
func prepare(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
    Fuzz.prepare(count, arguments)
}

@_cdecl("LLVMFuzzerTestOneInput")
func test(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> CInt {
    Fuzz.test(UnsafeBufferPointer(start: bytes, count: length))
    return 0
}
