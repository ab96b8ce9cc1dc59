package io.onehop.cli;

import io.onehop.core.ErrorKind;
import io.onehop.jedis.OneHopException;

import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import redis.clients.jedis.exceptions.JedisDataException;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The program {@code onehop}.
 *
 * <p>It reads a command line, runs one command, and ends with its exit status. Whatever goes wrong
 * is one line on stderr. Only {@code move} changes anything on a node. No command sends MONITOR or
 * KEYS. Commands that walk over keys do it at a limited rate.
 */
@Command(
        name = "onehop",
        description = {
            "Answers the questions of operators about sharded redis nodes.",
            "Only move changes something on a node."
        },
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = OneHopCommands.Version.class,
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:Fine.",
            "1:Findings: the answer has something that a person should see.",
            "2:The command line is wrong, or a file that it names (check: 1).",
            "3:A node that had to be asked did not answer.",
            "4:The output could not be written, or onehop has a fault."
        },
        footerHeading = "%n",
        footer = {
            "The file of a server pool: --config or ONEHOP_CONFIG, --pool or ONEHOP_POOL.",
            "Completion for bash and zsh: eval \"$(onehop generate-completion)\"",
            "Manual page: onehop generate-man-page | man -l -"
        })
public final class OneHopCommands {

    /** The version of the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = OneHopCommands.class.getPackage().getImplementationVersion();
            return new String[] {"onehop " + Objects.requireNonNullElse(version, "(from classes)")};
        }
    }

    /* What picocli says, and what we say instead. */
    private static final String NO_NUMBER = " is not (a long|an int)$";
    private static final String NUMBER = " is not a whole number, or is too large";

    /* This reference keeps the logger. Otherwise it may be made again, without its level. */
    private static final Logger LOG = Logger.getLogger("io.onehop");

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this help.")
    boolean isHelp;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version.")
    boolean isVersion;

    private OneHopCommands() {}

    /**
     * Runs a command and ends the process with its exit status.
     *
     * @param arguments the command line
     */
    public static void main(String[] arguments) {
        Screen screen = Screen.ofProcess();
        int status = ExitStatus.BROKEN;
        try {
            status = run(screen, arguments);
        } catch (Throwable fault) {
            screen.err.println("onehop: a fault of onehop: " + fault);
        } finally {
            // This also ends threads that still wait for a node.
            Runtime.getRuntime().halt(status);
        }
    }

    static int run(Screen screen, String... arguments) {
        LOG.setLevel(Level.OFF); // Commands report what a client would log.
        int status = commandLine(screen).execute(arguments);
        boolean isLost = screen.out.checkError();
        if (isLost && status != ExitStatus.BROKEN) {
            screen.err.println("onehop: the output could not be written");
        }
        screen.err.flush();
        return isLost ? ExitStatus.BROKEN : status;
    }

    static CommandLine commandLine(Screen screen) {
        CommandLine line = new CommandLine(new OneHopCommands());
        line.addSubcommand(new CheckCommand(screen));
        line.addSubcommand(new ExplainCommand(screen));
        line.addSubcommand(new SpreadCommand(screen));
        line.addSubcommand(new DiffCommand(screen));
        line.addSubcommand(new PlanCommand(screen));
        line.addSubcommand(new MoveCommand(screen));
        line.addSubcommand(new DoctorCommand(screen));
        line.addSubcommand(new StatusCommand(screen));
        line.addSubcommand(new TopCommand(screen));
        line.addSubcommand(new HotCommand(screen));
        line.addSubcommand(new InitCommand(screen));
        line.addSubcommand(hidden(new CommandLine(new HelpCommand())));
        line.addSubcommand(hidden(new CommandLine(new GenerateCompletion())));
        line.addSubcommand(hidden(new CommandLine(new ManPageCommand(screen))));
        line.setOut(writer(screen.out));
        line.setErr(writer(screen.err));
        line.setColorScheme(
                CommandLine.Help.defaultColorScheme(screen.isTerminal ? Ansi.AUTO : Ansi.OFF));
        line.setExpandAtFiles(false); // A key may begin with @.
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler((wrong, words) -> refuse(screen, wrong));
        line.setExecutionExceptionHandler(
                (failure, command, parsed) -> fail(screen, command, failure));
        return line;
    }

    private static CommandLine hidden(CommandLine command) {
        command.getCommandSpec().usageMessage().hidden(true);
        return command;
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
    }

    private static int refuse(Screen screen, ParameterException wrong) {
        String name = wrong.getCommandLine().getCommandSpec().qualifiedName();
        String reason = Screen.plain(wrong.getMessage()).replaceFirst(NO_NUMBER, NUMBER);
        if (wrong instanceof UnmatchedArgumentException unmatched
                && !unmatched.getSuggestions().isEmpty()) {
            reason += ": did you mean " + String.join(" or ", unmatched.getSuggestions()) + "?";
        }
        screen.err.println(name + ": " + reason + " (" + name + " --help)");
        return ExitStatus.WRONG_USAGE;
    }

    private static int fail(Screen screen, CommandLine command, Exception failure) {
        String name = command.getCommandSpec().qualifiedName();
        screen.err.println(name + ": " + Screen.plain(lineOf(failure)));
        return statusOf(failure);
    }

    private static String lineOf(Exception failure) {
        if (failure instanceof Refusal refusal) {
            return refusal.line();
        }
        boolean isOfNode =
                failure instanceof OneHopException || failure instanceof JedisDataException;
        return isOfNode ? String.valueOf(failure.getMessage()) : "a fault of onehop: " + failure;
    }

    private static int statusOf(Exception failure) {
        if (failure instanceof Refusal refusal) {
            return refusal.status();
        }
        if (failure instanceof OneHopException known) {
            boolean isOfFile = known.getKind() == ErrorKind.CONFIG_INVALID;
            return isOfFile && known.getNode() == null
                    ? ExitStatus.WRONG_USAGE
                    : ExitStatus.NO_ANSWER;
        }
        return failure instanceof JedisDataException ? ExitStatus.NO_ANSWER : ExitStatus.BROKEN;
    }
}
