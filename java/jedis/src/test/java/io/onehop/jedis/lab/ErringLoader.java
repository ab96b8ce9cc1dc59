package io.onehop.jedis.lab;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

import java.io.IOException;
import java.io.InputStream;
import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Loads OneHop's classes so that any call in them may throw an Error. The classes themselves have
 * no code for this.
 *
 * <p>Before each call in a method of {@code io.onehop} the loader inserts a call of {@link #reach}.
 * Threads whose names begin with {@code onehop-} are numbered from 0, separately for each name. In
 * the thread with number <i>n</i> an Error is thrown at its call <i>n</i> times {@code each}, and
 * in the first thread none. Calls that only lock, park or set something throw nothing: they cannot
 * fail, and no code could cope if they did.
 */
public final class ErringLoader extends ClassLoader {
    private static final String OURS = "io.onehop.";
    private static final String TESTS = "io.onehop.jedis.lab.";
    private static final List<String> SAFE =
            List.of("java/util/concurrent/locks/", "java/util/concurrent/atomic/");
    private static final String HERE = ErringLoader.class.getName().replace('.', '/');

    /* The lowest frames of OneHop in a thread: the method with the loop, and its caller. */
    private static final int OUTER_FRAMES = 2;

    /** The calls of a thread: which of them is to fail, and how many were made. */
    private static final class Calls {
        private final int failing;
        private int made;

        Calls(int failing) {
            this.failing = failing;
        }
    }

    private static final Map<String, Integer> STARTED = new HashMap<>();
    private static final List<String> THROWN = Collections.synchronizedList(new ArrayList<>());
    private static final ThreadLocal<Calls> CALLS = ThreadLocal.withInitial(ErringLoader::begin);

    private static volatile int each;

    public ErringLoader(int each) {
        super(ErringLoader.class.getClassLoader());
        ErringLoader.each = each;
        THROWN.clear();
        synchronized (STARTED) {
            STARTED.clear();
        }
    }

    /** Where Errors were thrown. */
    public static List<String> thrown() {
        return List.copyOf(THROWN);
    }

    /* ---- Throwing ---- */

    private static Calls begin() {
        String name = Thread.currentThread().getName();
        if (!name.startsWith("onehop-")) {
            return new Calls(0);
        }
        synchronized (STARTED) {
            int number = STARTED.merge(name, 1, Integer::sum) - 1;
            return new Calls(number * each);
        }
    }

    /** Called before each call: throws an Error if it is the turn of this call. */
    public static void reach() {
        Calls calls = CALLS.get();
        calls.made++;
        if (calls.failing == 0 || calls.made < calls.failing) {
            return;
        }
        List<StackFrame> own = StackWalker.getInstance().walk(ErringLoader::own);
        if (own.size() < OUTER_FRAMES || own.stream().anyMatch(ErringLoader::isInitializer)) {
            return;
        }
        calls.made = Integer.MIN_VALUE; // In a thread an Error is thrown only once.
        String place = Thread.currentThread().getName() + " in " + own.get(0);
        THROWN.add(place);
        throw new OutOfMemoryError("by the test, " + place);
    }

    private static List<StackFrame> own(java.util.stream.Stream<StackFrame> frames) {
        return frames.filter(ErringLoader::isOwn).toList();
    }

    private static boolean isOwn(StackFrame frame) {
        String name = frame.getClassName();
        return name.startsWith(OURS) && !name.startsWith(TESTS);
    }

    /**
     * True in an initializer of a class: if it failed, the class would be lost for the whole JVM.
     */
    private static boolean isInitializer(StackFrame frame) {
        return frame.getMethodName().equals("<clinit>");
    }

    /* ---- Loading ---- */

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || name.startsWith(TESTS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : defined(name);
        }
    }

    private Class<?> defined(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            ClassReader reader = new ClassReader(in);
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            reader.accept(new Asking(writer), 0);
            byte[] bytes = writer.toByteArray();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    /** Inserts a call of {@link #reach} before each call. */
    private static final class Asking extends ClassVisitor {
        Asking(ClassWriter to) {
            super(Opcodes.ASM9, to);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String type, String generic, String[] thrown) {
            MethodVisitor to = super.visitMethod(access, name, type, generic, thrown);
            return new MethodVisitor(Opcodes.ASM9, to) {
                @Override
                public void visitMethodInsn(
                        int code, String owner, String called, String with, boolean isInterface) {
                    if (SAFE.stream().noneMatch(owner::startsWith)) {
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, HERE, "reach", "()V", false);
                    }
                    super.visitMethodInsn(code, owner, called, with, isInterface);
                }
            };
        }
    }
}
