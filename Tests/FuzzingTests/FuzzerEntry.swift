import Foundation

/// Called by libFuzzer for each input (`scripts/fuzz`). The environment names the target, because the arguments are
/// libFuzzer's.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do { try chosenTarget.run(bytes) } catch {
        FileHandle.standardError.write(Data("\nBroken property of \(chosenTarget.name): \(error)\n".utf8))
        abort()
    }
    return 0
}

/// A mistake of the script's, which passes names of this list only.
private let chosenTarget: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else {
        let names = FuzzTarget.all.map(\.name).joined(separator: "\n")
        FileHandle.standardError.write(Data("FUZZ_TARGET is one of:\n\(names)\n".utf8))
        _exit(2)
    }
    return target
}()
