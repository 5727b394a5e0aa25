import ArgumentParser
import TOMLKit

@main struct HttpCCommand: AsyncParsableCommand { func run() async throws { print(TOMLTable()) } }
