import Foundation
import TestSupport
import Testing

extension RealServerTests {
    /// The short version of `Benchmarks/all --transfers`: the peak memory of processes that transfer 4 MiB and 128 MiB.
    @Suite(.serialized) struct Memory {
        enum Kind: CaseIterable {
            case downloadFile, downloadStream, uploadFile, uploadForm, downloadHTTP2
        }

        @Test("A large body needs no more memory than a small one", arguments: Kind.allCases)
        func constant(_ kind: Kind) async throws {
            let small = try await peak(kind, mebibytes: 4)
            var large = try await peak(kind, mebibytes: 128)
            // The peaks of a size differ by megabytes, whatever the size. A kept body would show each time.
            for _ in 0..<3 where large - small >= 8 << 10 { large = min(large, try await peak(kind, mebibytes: 128)) }
            #expect(large - small < 8 << 10, "\(small) KiB and \(large) KiB")
        }

        /// The peak of the command, in KiB.
        private func peak(_ kind: Kind, mebibytes: Int) async throws -> Int {
            let directory = try await RealServers.shared.directory()
            let output = try directory.file("memory-out")
            defer { try? FileManager.default.removeItem(at: output) }
            var arguments = ["-sSf", "--cacert", try await RealServers.shared.authority().path]
            switch kind {
            case .downloadFile, .downloadStream, .downloadHTTP2:
                let nginx = try await RealServers.shared.server(.nginx)
                let name = "zeros-\(mebibytes)"
                try Self.makeSparse(nginx.directory.appending(path: "www/\(name)"), mebibytes)
                if kind == .downloadFile { arguments += ["-o", output.path] }
                arguments.append(kind == .downloadHTTP2 ? nginx.url("/\(name)", .multiplexed) : nginx.url("/\(name)"))
            case .uploadFile, .uploadForm:
                let apache = try await RealServers.shared.server(.apache)
                try Self.makeSparse(output, mebibytes)
                arguments += kind == .uploadFile ? ["-T", output.path] : ["-F", "a=b", "-F", "file=@\(output.path)"]
                arguments.append(apache.url("/sink/memory"))
            }
            return try await Self.peak(arguments)
        }

        private static func makeSparse(_ file: URL, _ mebibytes: Int) throws {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: UInt64(mebibytes) << 20)
            try handle.close()
        }

        /// The peak of a child as the kernel reports it to its parent. The program in between is small.
        private static func peak(_ arguments: [String]) async throws -> Int {
            let script = """
                import resource, subprocess, sys
                code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
                print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """
            let outcome = try await Program.run("/usr/bin/python3", ["-c", script, BuiltProduct.httpc] + arguments)
            let numbers = outcome.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(numbers.count == 2 && numbers[0] == 0, "\(outcome.text) \(outcome.errors)")
            return numbers[1]
        }
    }
}
